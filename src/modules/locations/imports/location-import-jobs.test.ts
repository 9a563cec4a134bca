import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { runJobs } from '../../../../test/support/jobs.ts';
import { addBusiness, addLocation, bakery } from '../../../../test/support/locations.ts';
import { csvLine } from './csv-records.ts';
import { keysOf, mayOverlap } from './location-import-jobs.ts';

const importProcess = fileURLToPath(new URL('../../../../test/support/import-process.ts', import.meta.url));

// Starts processes and writes thousands of rows.
const patient = { timeout: 120_000 };

let api: TestApi;
let folder: string;
let partner: TestPartner;
let businessId: number;

beforeAll(async () => {
  api = await TestApi.start();
  folder = api.services.config.dataDir;
  await runJobs(api.database);
});
beforeEach(async () => {
  partner = await api.addPartner();
  businessId = (await addBusiness(partner)).id;
});
afterAll(async () => {
  await api.close();
});

const header = csvLine(['identifier', 'name', 'street', 'zip', 'city', 'country', 'categories', 'descriptionLong']);
const rows = (count: number, broken: (row: number) => boolean = () => false) =>
  Array.from({ length: count }, (_, row) =>
    csvLine([
      `ROW-${row}`,
      `Bakery ${row}`,
      `Venloer Straße ${row}`,
      broken(row) ? 'x' : '50823',
      'Köln',
      'DE',
      bakery,
      'Bread '.repeat(160),
    ]),
  ).join('');

async function upload(file: string): Promise<number> {
  const { body } = await partner.call('POST', `/api/location-imports?businessId=${businessId}`, file, {
    'content-type': 'text/csv',
  });
  expect(body).toMatchObject({ status: 'SUCCESS' });
  return body.response.id;
}

const read = async (id: number) => (await partner.call('GET', `/api/location-imports/${id}`)).body.response;

const count = async (table: string) => {
  const { rows: found } = await api.database.pool.query(`select count(*) from ${table} where partner_id = $1`, [
    partner.partner.id,
  ]);
  return found[0].count;
};

function startProcess(taskId: number, ...flags: string[]) {
  const child = spawn(process.execPath, ['--expose-gc', importProcess, api.database.url, String(taskId), ...flags], {
    env: { ...process.env, WAYPOST_DATA_DIR: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return { child, lines: createInterface({ input: child.stdout }) };
}

/** Waits for the process and completes its import: on a busy machine, a run can reach its limit of 30 seconds. */
async function finish(child: ChildProcess): Promise<void> {
  expect(await once(child, 'exit')).toEqual([0, null]);
  await runJobs(api.database);
}

test(
  'another process resumes an import after a crash, and every row of the file is written exactly once',
  patient,
  async () => {
    const id = await upload(header + rows(2500, (row) => row % 100 === 7));
    const { child, lines } = startProcess(id, '--step');
    const steps = lines[Symbol.asyncIterator]();
    // Two batches run at a time: the third starts when the first is written.
    await steps.next();
    child.stdin.write('go\n');
    await steps.next();
    await steps.next();
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await read(id)).toMatchObject({ status: 'RUNNING', progress: 40, created: 990, failed: 10 });
    await runJobs(api.database);
    expect(await read(id)).toMatchObject({ status: 'FINISHED', created: 2475, updated: 0, unchanged: 0, failed: 25 });
    expect(await count('locations')).toBe(2475);
    const errors = (await partner.call('GET', `/api/location-imports/${id}/errors`)).body.response;
    expect(errors.count).toBe(25);
    expect(errors.errors[24]).toMatchObject({ line: 2409, field: 'zip' });
  },
);

test('writes rows of the same location in different batches in order', patient, async () => {
  const moved = (row: number) =>
    rows(row + 1)
      .split('\r\n')
      .at(row)
      ?.replace('Köln', 'Bonn')
      .replace('50823', '53111');
  const again = [0, 1500, 2999].map((row) => `${moved(row)}\r\n`).join('');
  const id = await upload(header + rows(3000) + again);
  await runJobs(api.database);
  expect(await read(id)).toMatchObject({ status: 'FINISHED', created: 3000, updated: 3, failed: 0 });
  const { body } = await partner.call('GET', '/api/locations?city=Bonn');
  expect(body.response.count).toBe(3);
});

test('imports each row once with two concurrent processes', patient, async () => {
  const id = await upload(header + rows(2500));
  const children = [startProcess(id), startProcess(id)];
  await Promise.all(children.map(({ child }) => finish(child)));
  expect(await read(id)).toMatchObject({ status: 'FINISHED', created: 2500, updated: 0, unchanged: 0 });
  const { rows: events } = await api.database.pool.query(
    "select count(*) from events where partner_id = $1 and type = 'LOCATION_CREATED'",
    [partner.partner.id],
  );
  expect(events[0].count).toBe(2500);
});

test('imports of a partner run one after the other, so that no location is created twice', patient, async () => {
  const columns = csvLine(['name', 'street', 'city', 'country', 'categories']);
  const file = Array.from({ length: 300 }, (_, row) => csvLine([`Bakery ${row}`, 'Ring 1', 'Köln', 'DE', bakery]));
  const ids = [await upload(columns + file.join('')), await upload(columns + file.join(''))];
  await Promise.all([runJobs(api.database), runJobs(api.database)]);
  // Both runs may have ended while the queue was locked.
  await runJobs(api.database);
  expect(await Promise.all(ids.map(read))).toMatchObject([{ created: 300 }, { created: 0, unchanged: 300 }]);
});

test('stops when cancelled and keeps imported rows', patient, async () => {
  const id = await upload(header + rows(2500));
  const { child, lines } = startProcess(id, '--step');
  const steps = lines[Symbol.asyncIterator]();
  await steps.next();
  child.stdin.write('go\n');
  await steps.next();
  await steps.next();
  await partner.call('POST', `/api/location-imports/${id}/cancel`);
  child.stdin.write('go\ngo\n');
  await once(child, 'exit');
  expect(await read(id)).toMatchObject({ status: 'CANCELLED', progress: 40, created: 1000 });
  expect(await count('locations')).toBe(1000);
  expect(await readdir(join(folder, 'uploads'))).toEqual([]);
});

test('logs why a row could not be stored, and imports the others', async () => {
  const logged: string[] = [];
  const log = pino({}, { write: (line: string) => logged.push(line) });
  await api.database.pool.query(`alter table locations add constraint not_third check (name <> 'Bakery 2') not valid`);
  try {
    const id = await upload(header + rows(4));
    await runJobs(api.database, { log });
    expect(await read(id)).toMatchObject({ status: 'FINISHED', created: 3, failed: 1 });
    const entries = logged
      .map((line) => JSON.parse(line))
      .filter(({ event }) => event === 'location-import.row-failed');
    expect(entries).toMatchObject([{ taskId: id, err: { message: expect.stringContaining('not_third') } }]);
  } finally {
    await api.database.pool.query('alter table locations drop constraint not_third');
  }
});

const errorsOf = async (id: number) =>
  (await partner.call('GET', `/api/location-imports/${id}/errors`)).body.response.errors;

test('lists up to 20 errors of a row, with the start of the row', async () => {
  const photos = Array.from({ length: 90 }, (_, photo) => `photo ${photo}`).join('|');
  const columns = ['name', 'street', 'city', 'country', 'categories', 'photos', 'note'];
  const row = ['Bakery', 'Ring 1', 'Köln', 'DE', bakery, photos, 'x'.repeat(60_000)];
  const id = await upload(csvLine(columns) + csvLine(row) + csvLine([...row.slice(0, 5), '', '']));
  await runJobs(api.database);
  expect(await read(id)).toMatchObject({ status: 'FINISHED', created: 1, failed: 1 });
  const errors = await errorsOf(id);
  expect(errors).toHaveLength(20);
  expect(errors[18].field).toBe('photos');
  expect(errors[19]).toMatchObject({ field: 'row', message: '71 more errors of this row are not listed.' });
  for (const error of errors) expect(error.row).toMatch(/^"Bakery".{1992}…$/);
});

test('moves a location to another business only for a row with businessId', async () => {
  const { id: other } = await addBusiness(partner);
  const { id: locationId } = await addLocation(partner, { businessId: other, identifier: 'ROW-0' });
  const id = await upload(header + rows(2));
  await runJobs(api.database);
  expect(await read(id)).toMatchObject({ status: 'FINISHED', created: 1, failed: 1 });
  const message = expect.stringContaining(`belongs to business ${other}. To move it`);
  expect(await errorsOf(id)).toMatchObject([{ line: 2, field: 'businessId', message }]);
  const moved = await upload(`businessId,${header}${businessId},${rows(1)}`);
  await runJobs(api.database);
  expect(await read(moved)).toMatchObject({ status: 'FINISHED', updated: 1, failed: 0 });
  expect((await partner.call('GET', `/api/locations/${locationId}`)).body.response).toMatchObject({ businessId });
});

test('imports the rows after an unclosed quote', async () => {
  const [, second = '', ...others] = rows(4).split('\r\n');
  const file = [rows(1).trimEnd(), second.slice(0, -1), ...others].join('\r\n');
  const id = await upload(header + file);
  await runJobs(api.database);
  expect(await read(id)).toMatchObject({ status: 'FINISHED', rows: 4, created: 3, failed: 1, progress: 100 });
  const message = expect.stringContaining('unclosed quote on line 3');
  expect(await errorsOf(id)).toMatchObject([{ line: 3, field: 'row', message }]);
});

test('stops to list errors after many invalid rows, with a warning', async () => {
  const id = await upload(header + rows(2, (row) => row === 0));
  await api.database.pool.query('update tasks set failed = 50000 where id = $1', [id]);
  await runJobs(api.database);
  const warnings = [expect.stringContaining('at least 50000')];
  expect(await read(id)).toMatchObject({ status: 'FINISHED', created: 1, failed: 50_001, warnings });
  expect(await errorsOf(id)).toEqual([]);
});

test('fails without a valid row', async () => {
  const id = await upload(header + rows(2, () => true));
  await runJobs(api.database);
  const error = expect.stringContaining('No rows were imported');
  expect(await read(id)).toMatchObject({ status: 'FAILED', created: 0, failed: 2, error });
  expect(await errorsOf(id)).toHaveLength(2);
});

test('fails with instructions when the file is missing', async () => {
  const id = await upload(header + rows(1));
  for (const name of await readdir(join(folder, 'uploads'))) await rm(join(folder, 'uploads', name));
  await runJobs(api.database);
  const failed = await read(id);
  expect(failed.status).toBe('FAILED');
  expect(failed.error).toContain('Upload it again');
});

test('removes abandoned files after a day', async () => {
  const id = await upload(header + rows(1));
  const uploads = join(folder, 'uploads');
  const [needed] = await readdir(uploads);
  const longAgo = new Date(Date.now() - 25 * 3_600_000);
  for (const name of ['left-behind.csv', 'new.csv']) await writeFile(join(uploads, name), 'x');
  for (const name of ['left-behind.csv', String(needed)]) await utimes(join(uploads, name), longAgo, longAgo);
  await api.database.pool.query("update graphile_worker._private_jobs set run_at = now() + interval '1 day'");
  await api.database.pool.query("select graphile_worker.add_job('location-imports.sweep')");
  await runJobs(api.database);
  expect((await readdir(uploads)).sort()).toEqual([needed, 'new.csv'].sort());
  await runJobs(api.database, { early: true });
  expect(await read(id)).toMatchObject({ status: 'FINISHED' });
});

test('uses constant memory', patient, async () => {
  const id = await upload(header + rows(10_000));
  const { child, lines } = startProcess(id);
  const held: number[] = [];
  lines.on('line', (line) => held.push(Number(line) / 2 ** 20));
  await finish(child);
  expect(await read(id)).toMatchObject({ status: 'FINISHED', created: 10_000 });
  // By the fifth step all code is loaded and compiled. The file has 10 MB.
  const settled = Math.max(...held.slice(0, 6));
  expect(Math.max(...held) - settled, held.map(Math.round).join(' ')).toBeLessThan(8);
});

describe('a batch', () => {
  const batch = (...rows: { identifier?: string; name: string }[]) => keysOf(rows.map((input) => ({ input })));

  test('overlaps for rows with the same identifier', () => {
    expect(mayOverlap(batch({ identifier: 'A', name: 'One' }), batch({ identifier: 'A ', name: 'Two' }))).toBe(true);
    expect(mayOverlap(batch({ identifier: 'A', name: 'One' }), batch({ identifier: 'B', name: 'One' }))).toBe(false);
  });

  test('overlaps for a row without an identifier and a row of the same name', () => {
    const unidentified = batch({ name: 'Bakery  One' });
    expect(mayOverlap(unidentified, batch({ identifier: 'A', name: 'bakery one' }))).toBe(true);
    expect(mayOverlap(batch({ identifier: 'A', name: 'bakery one' }), unidentified)).toBe(true);
    expect(mayOverlap(unidentified, batch({ name: 'Bakery Two' }))).toBe(false);
  });

  test('ignores invalid rows', () => {
    expect(mayOverlap(keysOf([{ errors: [] }]), keysOf([{ errors: [] }]))).toBe(false);
  });
});
