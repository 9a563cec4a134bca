import { type ChildProcess, spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type FieldError, Problem } from '../../../problems.ts';
import type { ReceivedFile } from '../../../storage/received-file.ts';
import { type CheckedFile, type Claimed, refused } from './file-content.ts';
import { type FileKind, kindByMimeType } from './file-kind.ts';
import { PartnerQueue } from './partner-queue.ts';

export interface InspectionRequest {
  file: ReceivedFile;
  claimed: Claimed;
}

export interface InspectionResult {
  checked?: { mimeType: string } & Omit<CheckedFile, 'kind' | 'content'>;
  errors?: readonly FieldError[];
  fault?: string;
}

interface Limits {
  /** For one file. The largest accepted images take a few seconds. */
  seconds: number;
  /** Beyond what the process itself takes. */
  mebibytes: number;
}

const program = fileURLToPath(new URL('./inspection-process.ts', import.meta.url));
/** The data segment of a process that has loaded its program: 640 MiB, of which 100 are in use. */
const processMebibytes = 700;
const startSeconds = 60;
const idleMs = 60_000;
const atOnce = 2;
const waitingPerPartner = 50;

/**
 * Checks files in processes of their own. Decoders cannot be interrupted, and a small file can keep them busy for
 * minutes: a process that exceeds its limits is killed, and the file is refused.
 */
export class FileInspector {
  readonly #limits: Limits;
  readonly #queue = new PartnerQueue({ atOnce, waitingPerPartner });
  readonly #processes = new Set<InspectionProcess>();
  readonly #idle: InspectionProcess[] = [];

  constructor(limits: Limits = { seconds: 20, mebibytes: 800 }) {
    this.#limits = limits;
  }

  /** Throws the problem when the file is not accepted. The bytes to keep are in its place afterwards. */
  inspect(partnerId: number, file: ReceivedFile, claimed: Claimed): Promise<CheckedFile> {
    return this.#queue.run(partnerId, async () => {
      const inspection = this.#idle.pop() ?? this.#start();
      const { checked, errors, fault } = await inspection.inspect({ file, claimed });
      if (inspection.isAlive) this.#rest(inspection);
      if (errors) throw new Problem('INVALID_PARAMETER', { errors });
      if (!checked) throw new Error(`The inspection of a file failed: ${fault}`);
      const { mimeType, thumbnail, ...facts } = checked;
      return {
        ...facts,
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
    void inspection.ended.then(() => this.#forget(inspection));
    return inspection;
  }

  #rest(inspection: InspectionProcess): void {
    this.#idle.push(inspection);
    inspection.killAfter(idleMs);
  }

  #forget(inspection: InspectionProcess): void {
    this.#processes.delete(inspection);
    const index = this.#idle.indexOf(inspection);
    if (index >= 0) this.#idle.splice(index, 1);
  }
}

class InspectionProcess {
  readonly ended: Promise<void>;
  isAlive = true;
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
    this.ended = new Promise((resolve) => {
      const end = () => {
        this.isAlive = false;
        resolve();
      };
      this.#child.once('exit', end);
      this.#child.once('error', end);
    });
    this.#ready = this.#message();
    this.#hold(false);
  }

  async inspect(request: InspectionRequest): Promise<InspectionResult> {
    clearTimeout(this.#timer);
    this.#hold(true);
    const started = await this.#within(startSeconds, this.#ready);
    if (started === 'late' || started === 'ended') return this.#fault(`its process has ${started}`);
    const { seconds, mebibytes } = this.#limits;
    const result = this.#message();
    this.#child.send(request, () => {});
    const outcome = await this.#within(seconds, result);
    if (outcome === 'late') return this.#refusal(request, `checking it takes longer than ${seconds} s`);
    if (outcome === 'ended') {
      return this.#refusal(request, `checking it takes more than ${mebibytes} MiB of memory, or crashes its decoder`);
    }
    this.#hold(false);
    return outcome as InspectionResult;
  }

  kill(): void {
    clearTimeout(this.#timer);
    this.isAlive = false;
    this.#child.kill('SIGKILL');
  }

  killAfter(ms: number): void {
    this.#timer = setTimeout(() => this.kill(), ms).unref();
  }

  #message(): Promise<unknown> {
    return new Promise((resolve) => this.#child.once('message', resolve));
  }

  async #within(seconds: number, message: Promise<unknown>): Promise<unknown> {
    const patience = new AbortController();
    const late = wait(seconds * 1000, 'late', { signal: patience.signal });
    late.catch(() => {});
    const outcome = await Promise.race([message, this.ended.then(() => 'ended'), late]);
    patience.abort();
    if (outcome === 'late') this.kill();
    return outcome;
  }

  #refusal({ claimed }: InspectionRequest, reason: string): InspectionResult {
    return { errors: refused(claimed, `${reason}. Save it in a simpler form, or smaller`).errors };
  }

  #fault(fault: string): InspectionResult {
    this.kill();
    return { fault };
  }

  /** An idle process does not keep this one from ending. */
  #hold(isBusy: boolean): void {
    if (!this.isAlive) return;
    const { channel } = this.#child;
    if (isBusy) {
      this.#child.ref();
      channel?.ref();
    } else {
      this.#child.unref();
      channel?.unref();
    }
  }
}
