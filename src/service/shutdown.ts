import type { Config } from '../config.ts';

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
