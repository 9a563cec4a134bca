import { type ChildProcess, spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { incomingFolder, removeAbandoned } from '../../storage/received-file.ts';
import { sweepFiles } from '../../storage/unsettled-files.ts';

let api: TestApi;
let dataDir: string;
let partner: TestPartner;
beforeAll(async () => {
  api = await TestApi.start();
  dataDir = api.services.config.dataDir;
  partner = await api.addPartner();
});
afterAll(async () => {
  await api.close();
});

function startUploading(): ChildProcess {
  const script = join(import.meta.dirname, '../../../test/support/asset-process.ts');
  const values = [api.database.url, dataDir, String(partner.partner.id)];
  return spawn(process.execPath, [script, ...values], { stdio: ['ignore', 'pipe', 'inherit'] });
}

const stored = async () => {
  const folder = join(dataDir, 'files');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
};

const patience = { timeout: 60_000 };

test(
  'whatever instant an upload is killed at, every row has its bytes and no bytes are left without a row',
  patience,
  async () => {
    for (let death = 0; death < 3; death++) {
      const child = startUploading();
      const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
      await new Promise((resolve) => child.stdout?.once('data', resolve));
      // Deletions are made by the API meanwhile, and their files swept by the process that is about to die. One is left.
      const { assets } = (await partner.call('GET', '/api/dam/assets?size=4')).body.response;
      for (const { id } of assets.slice(1)) await partner.call('DELETE', `/api/dam/assets/${id}`);
      // Not a wait for something to happen: each time it dies at another point of its work.
      await pause(17 * death);
      child.kill('SIGKILL');
      expect(await ended).toBe('SIGKILL');
    }
    const later = new Date(Date.now() + 60_000);
    await sweepFiles(api.database.pool, api.services.files, later);
    await removeAbandoned(incomingFolder(dataDir), later);
    const { rows } = await api.database.pool.query<{ name: string }>(
      'select unnest(array[file_name, thumbnail_name]) as name from assets order by 1',
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(await stored()).toEqual(rows.map(({ name }) => name).sort());
    expect(await readdir(incomingFolder(dataDir))).toEqual([]);
  },
);
