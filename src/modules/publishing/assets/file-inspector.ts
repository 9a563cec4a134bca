import { type ChildProcess, spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type FieldError, Problem } from '../../../problems.ts';
import type { ReceivedFile } from '../../../storage/received-file.ts';
import { withTimeout } from '../../../values/with-timeout.ts';
import { type CheckedFile, type DeclaredFile, rejected } from './file-content.ts';
import { type FileKind, kindByMimeType } from './file-kind.ts';

interface QueueLimits {
  /** Tasks that run concurrently, at most one per partner. */
  concurrency: number;
  /** Waiting tasks per partner. */
  waitingPerPartner: number;
}

type Start = () => void;

/** Runs tasks round-robin by partner, so that no partner waits behind the queue of another. */
export class PartnerQueue {
  readonly #limits: QueueLimits;
  readonly #running = new Set<number>();
  /** In round-robin order. */
  readonly #waiting = new Map<number, Start[]>();

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  async run<T>(partnerId: number, work: () => Promise<T>): Promise<T> {
    await this.#acquire(partnerId);
    try {
      return await work();
    } finally {
      this.#running.delete(partnerId);
      this.#startNext();
    }
  }

  #acquire(partnerId: number): Promise<void> {
    const waiting = this.#waiting.get(partnerId) ?? [];
    if (waiting.length >= this.#limits.waitingPerPartner) {
      throw new Problem('QUOTA_LIMIT_EXCEED', {
        message: `The limit of ${waiting.length} files of this partner that wait to be checked is reached. Try again later.`,
        retryAfterSeconds: 10,
      });
    }
    return new Promise((resolve) => {
      this.#waiting.set(partnerId, [...waiting, resolve]);
      this.#startNext();
    });
  }

  #startNext(): void {
    if (this.#running.size >= this.#limits.concurrency) return;
    for (const [partnerId, [start, ...rest]] of this.#waiting) {
      if (this.#running.has(partnerId)) continue;
      this.#waiting.delete(partnerId);
      if (rest.length > 0) this.#waiting.set(partnerId, rest);
      this.#running.add(partnerId);
      start?.();
      return;
    }
  }
}

export interface InspectionRequest {
  file: ReceivedFile;
  declared: DeclaredFile;
}

export interface InspectionResult {
  checked?: { mimeType: string } & Omit<CheckedFile, 'kind' | 'content'>;
  errors?: readonly FieldError[];
  fault?: string;
}

interface Limits {
  /** Per file. The largest accepted images need a few seconds. */
  seconds: number;
  /** In addition to the process itself. */
  mebibytes: number;
}

const program = fileURLToPath(new URL('./inspection-process.ts', import.meta.url));
/** Data segment of an idle process: 640 MiB, of which 100 are in use. */
const processMebibytes = 700;
const startSeconds = 60;
const idleMs = 60_000;
const concurrency = 2;
const waitingPerPartner = 50;

/**
 * Checks files in child processes: decoders cannot be interrupted, and a small file can keep them busy for minutes. A
 * process that exceeds its limits is killed and the file is rejected.
 */
export class FileInspector {
  readonly #limits: Limits;
  readonly #queue = new PartnerQueue({ concurrency, waitingPerPartner });
  readonly #processes = new Set<InspectionProcess>();

  constructor(limits: Limits = { seconds: 20, mebibytes: 800 }) {
    this.#limits = limits;
  }

  /** Throws if the file is rejected. Afterwards the file contains the bytes to store. */
  inspect(partnerId: number, file: ReceivedFile, declared: DeclaredFile): Promise<CheckedFile> {
    return this.#queue.run(partnerId, async () => {
      const inspection = [...this.#processes].find(({ isIdle }) => isIdle) ?? this.#start();
      const { checked, errors, fault } = await inspection.inspect({ file, declared });
      if (errors) throw new Problem('INVALID_PARAMETER', { errors });
      if (!checked) throw new Error(`File inspection failed: ${fault}`);
      const { mimeType, thumbnail, ...properties } = checked;
      return {
        ...properties,
        kind: kindByMimeType(mimeType) as FileKind,
        content: () => createReadStream(file.path),
        ...(thumbnail && { thumbnail: Buffer.from(thumbnail) }),
      };
    });
  }

  close(): void {
    for (const inspection of this.#processes) inspection.kill();
  }

  #start(): InspectionProcess {
    const inspection = new InspectionProcess(this.#limits);
    this.#processes.add(inspection);
    void inspection.exited.then(() => this.#processes.delete(inspection));
    return inspection;
  }
}

class InspectionProcess {
  readonly exited: Promise<void>;
  /** Whether it can check a file. */
  isIdle = true;
  #isAlive = true;
  readonly #child: ChildProcess;
  readonly #limits: Limits;
  readonly #ready: Promise<unknown>;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: Limits) {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    this.#limits = limits;
    // RLIMIT_DATA counts the memory that decoders allocate; `--max-old-space-size` would count JavaScript objects only.
    const command = `ulimit -d ${(processMebibytes + limits.mebibytes) * 1024}; exec "$0" "$@"`;
    this.#child = spawn('/bin/sh', ['-c', command, process.execPath, program], {
      env: { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    this.exited = new Promise((resolve) => {
      const end = () => {
        this.#isAlive = false;
        this.isIdle = false;
        resolve();
      };
      this.#child.once('exit', end);
      this.#child.once('error', end);
    });
    this.#ready = this.#message();
    this.#setBusy(false);
  }

  async inspect(request: InspectionRequest): Promise<InspectionResult> {
    clearTimeout(this.#timer);
    this.#setBusy(true);
    const startOutcome = await this.#outcomeOf(startSeconds, this.#ready);
    if (startOutcome === 'timeout') return this.#fault(`the inspection process did not start within ${startSeconds} s`);
    if (startOutcome === 'exited') return this.#fault('the inspection process exited before it was ready');
    const { seconds, mebibytes } = this.#limits;
    const result = this.#message();
    this.#child.send(request, () => {});
    const outcome = await this.#outcomeOf(seconds, result);
    if (outcome === 'timeout') return this.#rejection(request, `the check took longer than ${seconds} s`);
    if (outcome === 'exited') {
      return this.#rejection(request, `the check needed more than ${mebibytes} MiB of memory or crashed the decoder`);
    }
    this.#setBusy(false);
    this.#timer = setTimeout(() => this.kill(), idleMs).unref();
    return outcome as InspectionResult;
  }

  kill(): void {
    clearTimeout(this.#timer);
    this.#isAlive = false;
    this.isIdle = false;
    this.#child.kill('SIGKILL');
  }

  #message(): Promise<unknown> {
    return new Promise((resolve) => this.#child.once('message', resolve));
  }

  #outcomeOf(seconds: number, message: Promise<unknown>): Promise<unknown> {
    const ended = Promise.race([message, this.exited.then(() => 'exited')]);
    return withTimeout(seconds * 1000, ended, () => {
      this.kill();
      return 'timeout';
    });
  }

  #rejection({ declared }: InspectionRequest, reason: string): InspectionResult {
    return { errors: rejected(declared, `${reason}. Simplify the file or reduce its size`).errors };
  }

  #fault(fault: string): InspectionResult {
    this.kill();
    return { fault };
  }

  /** An idle child must not keep the parent alive. */
  #setBusy(isBusy: boolean): void {
    if (!this.#isAlive) return;
    this.isIdle = !isBusy;
    for (const handle of [this.#child, this.#child.channel]) {
      if (isBusy) handle?.ref();
      else handle?.unref();
    }
  }
}
