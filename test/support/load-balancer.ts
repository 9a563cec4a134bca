import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './fleet.ts';

const configuration = join(import.meta.dirname, '../../deploy/cells/haproxy.cfg');
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

/** HAProxy with the configuration of deploy/cells/. */
export async function startLoadBalancer({ ports, emails = '', credentials = '', webhooks = '' }: Cells) {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-cells-'));
  writeFileSync(join(folder, 'emails.map'), emails);
  writeFileSync(join(folder, 'credentials.map'), credentials);
  writeFileSync(join(folder, 'webhooks.map'), webhooks);
  const port = await freePort();
  const child = spawn(program ?? 'haproxy', ['-db', '-f', configuration], {
    env: {
      PATH: process.env.PATH,
      CELLS_BIND: `127.0.0.1:${port}`,
      CELLS_MAPS: folder,
      CELL_0: `127.0.0.1:${ports[0]}`,
      CELL_1: `127.0.0.1:${ports[1]}`,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const exit = once(child, 'exit');
  const baseUrl = `http://127.0.0.1:${port}`;
  while (!(await isReady(baseUrl))) {
    if (child.exitCode !== null) throw new Error(`HAProxy exited: ${output}`);
    await pause(50);
  }
  const stop = async () => {
    child.kill('SIGKILL');
    await exit;
    rmSync(folder, { recursive: true });
  };
  return { baseUrl, port, stop };
}

const isReady = (baseUrl: string) =>
  fetch(`${baseUrl}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
