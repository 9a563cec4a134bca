import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Activity } from './activity/activity.ts';
import { createSandboxServer } from './http/server.ts';
import { ensureInstallation } from './state/installation-store.ts';
import { Network, type NetworkOptions } from './state/network.ts';

export interface SandboxOptions extends NetworkOptions {
  /** Key of the installation. */
  key: string;
  /** Default, and if the port is in use: any free port. */
  port?: number;
  host?: string;
  latency?: number;
  /** False: only limits set by the control API apply. */
  limits?: boolean;
  /** Simulates activity in a new network. An existing state keeps its setting. */
  life?: boolean;
}

export interface Sandbox {
  url: string;
  /** Aborts requests in progress. */
  close(): Promise<void>;
}

const activityIntervalMs = 5_000;

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { key, port = 0, host = '127.0.0.1', latency = 0, limits = true, life: activeInitially = false } = options;
  const network = new Network(options);
  ensureInstallation(network, 'Waypost', key);
  const activity = new Activity(network);
  if (network.fact('life') === undefined) activity.setEnabled(activeInitially);
  const server = createSandboxServer({ network, activity, latency, limits });
  server.listen(port, host);
  await once(server, 'listening').catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE' || port === 0) throw error;
    server.listen(0, host);
    await once(server, 'listening');
  });
  const timer = setInterval(() => activity.catchUp(), activityIntervalMs);
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    async close() {
      clearInterval(timer);
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      network.close();
    },
  };
}
