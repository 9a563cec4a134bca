import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';

/**
 * Below the ports of embedded databases (20,000), and of outgoing connections on Linux and macOS, which would take a port
 * before its server starts.
 */
const firstPort = 12_000;
const ports = 8000;

/** Each test worker has its own ports. The workers of vitest.config.ts are counted from 1. */
const workers = availableParallelism() + 3;
const portsPerWorker = Math.floor(ports / workers);

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
