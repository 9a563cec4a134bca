import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { withTimeout } from '../values/with-timeout.ts';

const parentCheckMs = 1000;
// Parts have their own timeouts; this one is for a process that hangs anyway.
const exitTimeoutMs = 120_000;
// Ctrl-C arrives twice: from the terminal and from npm, which forwards it.
const repeatMs = 2000;
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type StopTimes = Pick<Config, 'deliveryTimeoutMs' | 'shutdownDelayMs'>;

/**
 * Aborted, with the reason, on Ctrl-C, SIGTERM, a closed terminal or the exit of the parent npm. A second request or a
 * timeout exits immediately; the database recovers.
 */
export function stopRequest({ deliveryTimeoutMs, shutdownDelayMs }: StopTimes): AbortSignal {
  const request = new AbortController();
  let requestedAt: number | undefined;
  const stop = (reason: string) => {
    if (requestedAt !== undefined && performance.now() - requestedAt < repeatMs) return;
    if (requestedAt !== undefined) process.exit(1);
    requestedAt = performance.now();
    setTimeout(() => process.exit(1), exitTimeoutMs + deliveryTimeoutMs + shutdownDelayMs).unref();
    request.abort(reason);
  };
  for (const name of stopSignals) process.on(name, () => stop(name));
  // Writing to a closed terminal fails, which must not interrupt the shutdown.
  process.on('SIGHUP', () => process.stdout.on('error', () => {}));
  if (process.env.npm_lifecycle_event) watchParent(() => requestedAt === undefined && stop('npm exited'));
  return request.signal;
}

/** npm killed with SIGKILL cannot forward a signal to this process. */
function watchParent(gone: () => void): void {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    gone();
  }, parentCheckMs);
  watch.unref();
}

/** Shutdown order: parts that accept work, then their dependencies, then the database and tracing. */
const order = ['work', 'tools', 'base'] as const;

interface Part {
  name: string;
  stage: (typeof order)[number];
  limitMs: number;
  stop: () => Promise<unknown>;
}

/** The parts of a running process. The parts of a stage are stopped concurrently, each with its own timeout. */
export class Parts {
  readonly #log: Logger;
  #parts: Part[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  add(part: Part): void {
    this.#parts.push(part);
  }

  /** Returns whether all parts stopped in time. */
  async stop(): Promise<boolean> {
    const parts = this.#parts;
    this.#parts = [];
    let isComplete = true;
    for (const stage of order) {
      const stopped = await Promise.all(
        parts
          .filter((part) => part.stage === stage)
          .map(({ name, limitMs, stop }) => withinLimit({ part: name, limitMs, log: this.#log }, stop)),
      );
      isComplete &&= stopped.every(Boolean);
    }
    return isComplete;
  }
}

interface Limit {
  /** The name in the log. */
  part: string;
  limitMs: number;
  log: Logger;
}

/** Returns whether the part stopped in time and without an error. */
export async function withinLimit({ part, limitMs, log }: Limit, stop: () => Promise<unknown>): Promise<boolean> {
  const overdue = () => {
    log.error({ event: 'service.stop-overdue', part, limitMs }, `The ${part} did not stop within ${limitMs / 1000} s`);
    return false;
  };
  try {
    const stopped = stop().then(() => true);
    return await withTimeout(limitMs, stopped, overdue);
  } catch (error) {
    log.error({ event: 'service.stop-failed', part, err: error });
    return false;
  }
}
