import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createSandboxServer } from './http/server.ts';
import { Life } from './life/life.ts';
import { ensureInstallation } from './state/installation-store.ts';
import { Network, type NetworkOptions } from './state/network.ts';

export interface SandboxOptions extends NetworkOptions {
  /** Of the installation that uses it. */
  key: string;
  /** Any free one without it, or when it is taken. */
  port?: number;
  host?: string;
  latency?: number;
  /** False leaves only those limits that somebody sets. */
  limits?: boolean;
  /** Whether a new network lives by itself; later it is as it was left. */
  life?: boolean;
}

export interface Sandbox {
  url: string;
  /** What was under way is dropped, as when a network goes away. */
  close(): Promise<void>;
}

const lifeEveryMs = 5_000;

/** Starts the network: its state, its life and its doors. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { key, port = 0, host = '127.0.0.1', latency = 0, limits = true, life: livesAtFirst = false } = options;
  const network = new Network(options);
  ensureInstallation(network, 'Waypost', key);
  const life = new Life(network);
  if (network.fact('life') === undefined) life.switch(livesAtFirst);
  const server = createSandboxServer({ network, life, latency, limits });
  server.listen(port, host);
  await once(server, 'listening').catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE' || port === 0) throw error;
    server.listen(0, host);
    await once(server, 'listening');
  });
  const living = setInterval(() => life.catchUp(), lifeEveryMs);
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    async close() {
      clearInterval(living);
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      network.close();
    },
  };
}
