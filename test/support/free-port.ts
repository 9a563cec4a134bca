import { createServer } from 'node:net';

/**
 * Below the ports that Linux and macOS use for outgoing connections, which would take a port before its server starts.
 * Each test worker has its own ports, and returns none of them twice.
 */
const firstPort = 12_000;
const portsPerWorker = 2000;
const workers = 10;

const worker = Number(process.env.VITEST_POOL_ID ?? 0) % workers;
let next = Math.floor(Math.random() * portsPerWorker);

/** A port on which no server listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + worker * portsPerWorker + next;
    next = (next + 1) % portsPerWorker;
    if (await isFree(port)) return port;
  }
}

/** At all addresses. */
function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '0.0.0.0', () => server.close(() => resolve(true)));
  });
}
