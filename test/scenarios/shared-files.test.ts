import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { DiskStore } from '../../src/storage/open-file-store.ts';
import { runCli, temporaryFolder } from '../support/cli.ts';
import { Fleet } from '../support/fleet.ts';
import { freePort } from '../support/free-port.ts';

const limit = { timeout: 120_000 };

/** A fleet whose first process has started, with an export file in the database if wanted. */
async function installation({ hasFiles }: { hasFiles: boolean }) {
  const folder = temporaryFolder();
  const fleet = await Fleet.create({ WAYPOST_DATA_DIR: folder, PORT: '0' });
  const first = fleet.start('work');
  await first.waitForOutput(/worker is running/);
  await first.interrupt();
  if (hasFiles) await addExport(fleet);
  return { fleet, folder };
}

const exportName = 'exports/ab/ab';

const addExport = (fleet: Fleet) =>
  fleet.rows(
    `with task as (
       insert into tasks (partner_id, type, status, created_by) values ($1, 'EXCEL_EXPORT', 'FINISHED', 'test') returning id
     )
     insert into exports (id, partner_id, name, format, file_name) select id, $1, 'a', 'xlsx', $2 from task`,
    [fleet.partner.id, exportName],
  );

test('a node with another folder does not start, and a backup of it is refused', limit, async () => {
  const { fleet } = await installation({ hasFiles: true });
  const other = temporaryFolder();
  const { code, stderr } = await fleet.start('serve', { WAYPOST_DATA_DIR: other }).ended;
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      new RegExp(`not in the data folder ${other}.*WAYPOST_S3_BUCKET_URL.*WAYPOST_FILES_CHECK=adopt`, 's'),
    ),
  });
  const doctor = await runCli(['doctor'], { ...fleet.environment, WAYPOST_DATA_DIR: other });
  expect(doctor).toMatchObject({ code: 1, stdout: expect.stringMatching(/^FAIL +shared files +.*not in the data/m) });
  const archive = join(other, 'backup.zip');
  await expect(runCli(['backup', archive], { ...fleet.environment, WAYPOST_DATA_DIR: other })).rejects.toThrow(
    `The files of this installation are not in the data folder ${other}:`,
  );
  const rename = 'update installation set name = $2 where name = $1';
  await fleet.rows(rename, ['files-marker', 'no marker']);
  await expect(runCli(['backup', archive], fleet.environment)).rejects.toThrow('none of them was found');
  await fleet.rows(rename, ['no marker', 'files-marker']);
  expect(await runCli(['backup', archive], fleet.environment)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`The file ${exportName} is missing in the store.`),
  });
  const healthy = await runCli(['doctor'], fleet.environment);
  expect(healthy.stdout).toMatch(/^OK +shared files +The files of this installation are in the data folder/m);
});

test('a node with a copy of the files starts', limit, async () => {
  const { fleet, folder } = await installation({ hasFiles: true });
  const other = temporaryFolder();
  await cp(join(folder, 'files'), join(other, 'files'), { recursive: true });
  const service = fleet.start('serve', { WAYPOST_DATA_DIR: other });
  await service.waitForOutput(/Waypost is running/);
  expect((await service.interrupt()).stdout).not.toContain('files.not-shared');
});

test(
  'a node with another folder only warns while no files are stored, and keeps it if they are in it',
  limit,
  async () => {
    const { fleet } = await installation({ hasFiles: false });
    const settings = { WAYPOST_DATA_DIR: temporaryFolder() };
    const service = fleet.start('serve', settings);
    await service.waitForOutput(/The files of this installation are not in the data folder/);
    await service.waitForOutput(/Waypost is running/);
    expect((await service.interrupt()).code).toBe(0);

    // As after an upload to this folder, which was created again.
    await addExport(fleet);
    await new DiskStore(settings.WAYPOST_DATA_DIR).put(exportName, Readable.from([Buffer.from('rows')]));
    const next = fleet.start('serve', settings);
    await next.waitForOutput(/Waypost is running/);
    expect((await next.interrupt()).stdout).not.toContain('files.not-shared');
    expect((await runCli(['doctor'], { ...fleet.environment, ...settings })).stdout).toMatch(/^OK +shared files /m);
  },
);

test('a process adopts a new folder on request', limit, async () => {
  const { fleet } = await installation({ hasFiles: true });
  const other = temporaryFolder();
  const settings = { WAYPOST_DATA_DIR: other };
  const adopting = fleet.start('work', { ...settings, WAYPOST_FILES_CHECK: 'adopt' });
  await adopting.waitForOutput(/worker is running/);
  expect((await adopting.interrupt()).code).toBe(0);
  expect(await readdir(join(other, 'files'))).toEqual(['marker']);
  const next = fleet.start('work', settings);
  await next.waitForOutput(/worker is running/);
  expect((await next.interrupt()).code).toBe(0);
});

test('a process starts with a warning while the bucket is not reachable', limit, async () => {
  const { fleet } = await installation({ hasFiles: true });
  const bucket = {
    WAYPOST_S3_BUCKET_URL: `http://127.0.0.1:${await freePort()}/bucket`,
    WAYPOST_S3_KEY_ID: 'key',
    WAYPOST_S3_SECRET: 'secret',
  };
  const service = fleet.start('serve', bucket);
  await service.waitForOutput(/the bucket \S+ could not be checked/);
  await service.waitForOutput(/Waypost is running/);
  expect((await service.interrupt()).code).toBe(0);
});

test('concurrent first starts agree on one marker', limit, async () => {
  const fleet = await Fleet.create();
  const processes = [fleet.start('work'), fleet.start('work')];
  for (const process of processes) await process.waitForOutput(/worker is running/);
  expect(await fleet.rows("select from installation where name = 'files-marker'")).toHaveLength(1);
  for (const process of processes) expect((await process.interrupt()).code).toBe(0);
});
