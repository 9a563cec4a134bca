import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.ts';

const deploy = join(import.meta.dirname, '../../deploy');
// Not in the PATH of every user on Debian.
const program = ['haproxy', '/usr/sbin/haproxy'].find((path) => !spawnSync(path, ['-v']).error);

/** Whether HAProxy is installed; tests that need it are skipped otherwise. */
export const hasLoadBalancer: boolean = program !== undefined;

interface Cells {
  /** Ports of cells 0 and 1. */
  ports: readonly [number, number];
  /** Lines of the maps. */
  emails?: string;
  credentials?: string;
  webhooks?: string;
}

/** HAProxy with the configuration of a folder of deploy/, as soon as it is ready. */
export async function startHaproxy(
  folder: 'cells' | 'patroni',
  settings: Record<string, string>,
  isReady: () => Promise<boolean>,
) {
  const child = spawn(program ?? 'haproxy', ['-db', '-f', join(deploy, folder, 'haproxy.cfg')], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const exit = once(child, 'exit');
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`HAProxy exited: ${output}`);
    await pause(50);
  }
  const stop = async () => {
    child.kill('SIGKILL');
    await exit;
  };
  return { stop };
}

/** HAProxy in front of two cells. */
export async function startLoadBalancer({ ports, emails = '', credentials = '', webhooks = '' }: Cells) {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-cells-'));
  writeFileSync(join(folder, 'emails.map'), emails);
  writeFileSync(join(folder, 'credentials.map'), credentials);
  writeFileSync(join(folder, 'webhooks.map'), webhooks);
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const settings = {
    CELLS_BIND: `127.0.0.1:${port}`,
    CELLS_MAPS: folder,
    CELL_0: `127.0.0.1:${ports[0]}`,
    CELL_1: `127.0.0.1:${ports[1]}`,
  };
  const balancer = await startHaproxy('cells', settings, () => isReady(baseUrl));
  const stop = async () => {
    await balancer.stop();
    rmSync(folder, { recursive: true });
  };
  return { baseUrl, port, stop };
}

const isReady = (baseUrl: string) =>
  fetch(`${baseUrl}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
