import { type ChildProcess, spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { sweepFiles } from '../../../storage/pending-files.ts';
import { incomingFolder, removeAbandoned } from '../../../storage/received-file.ts';

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
  const script = join(import.meta.dirname, '../../../../test/support/asset-process.ts');
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

const options = { timeout: 60_000 };

test('a killed upload leaves neither a row without bytes nor bytes without a row', options, async () => {
  for (let round = 0; round < 3; round++) {
    const child = startUploading();
    const exitSignal = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    // The API deletes all assets but one. The process sweeps their files until it is killed.
    const { assets } = (await partner.call('GET', '/api/dam/assets?size=4')).body.response;
    for (const { id } of assets.slice(1)) await partner.call('DELETE', `/api/dam/assets/${id}`);
    // A fixed delay on purpose: each round kills the process at a different point.
    await pause(17 * round);
    child.kill('SIGKILL');
    expect(await exitSignal).toBe('SIGKILL');
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
});
