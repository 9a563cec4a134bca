const parentCheckMs = 1000;
const patienceMs = 45_000;
// Ctrl-C reaches this process from the terminal, and once more from npm, which passes it on.
const echoMs = 2000;

/**
 * Resolves with the reason why this process should stop: Ctrl-C, SIGTERM, or the end of the npm that started it.
 * Whoever asks twice, or waits too long, gets an end at once: the database recovers by itself.
 */
export function untilAskedToStop(): Promise<string> {
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    const stop = (reason: string) => {
      if (askedAt !== undefined && performance.now() - askedAt < echoMs) return;
      if (askedAt !== undefined) process.exit(1);
      askedAt = performance.now();
      setTimeout(() => process.exit(1), patienceMs).unref();
      resolve(reason);
    };
    process.on('SIGINT', () => stop('SIGINT'));
    process.on('SIGTERM', () => stop('SIGTERM'));
    if (!process.env.npm_lifecycle_event) return;
    // npm killed with -9 cannot pass the signal on; without it nobody could stop this process from the terminal.
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(watch);
      if (askedAt === undefined) stop('the npm that started it is gone');
    }, parentCheckMs);
    watch.unref();
  });
}
