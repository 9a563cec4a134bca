import type { Config } from '../config.ts';

const parentCheckMs = 1000;
// Every part has a limit of its own; this is for a process that hangs beyond all of them.
const patienceMs = 120_000;
// Ctrl-C reaches this process from the terminal, and once more from npm, which passes it on.
const echoMs = 2000;
const requests = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type StopTimes = Pick<Config, 'deliveryTimeoutMs' | 'shutdownDelayMs'>;

/**
 * Aborted, with the reason, when this process should stop: Ctrl-C, SIGTERM, the end of its terminal or of the npm that
 * started it. Whoever asks twice, or waits too long, gets an end at once: the database recovers by itself.
 */
export function stopRequest({ deliveryTimeoutMs, shutdownDelayMs }: StopTimes): AbortSignal {
  const request = new AbortController();
  let askedAt: number | undefined;
  const stop = (reason: string) => {
    if (askedAt !== undefined && performance.now() - askedAt < echoMs) return;
    if (askedAt !== undefined) process.exit(1);
    askedAt = performance.now();
    setTimeout(() => process.exit(1), patienceMs + deliveryTimeoutMs + shutdownDelayMs).unref();
    request.abort(reason);
  };
  for (const name of requests) process.on(name, () => stop(name));
  // A terminal that was closed takes no more lines, which must not keep us from leaving everything in order.
  process.on('SIGHUP', () => process.stdout.on('error', () => {}));
  if (process.env.npm_lifecycle_event)
    watchParent(() => askedAt === undefined && stop('the npm that started it is gone'));
  return request.signal;
}

/** npm killed with -9 cannot pass the signal on; without it nobody could stop this process from the terminal. */
function watchParent(gone: () => void): void {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    gone();
  }, parentCheckMs);
  watch.unref();
}
