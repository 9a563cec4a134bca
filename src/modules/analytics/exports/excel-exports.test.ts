import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { download, downloadFile, exportContext } from '../../../../test/support/exports.ts';
import {
  addBusinessRow,
  addDailyCounts,
  addListedLocation,
  type InsightListing,
} from '../../../../test/support/figures.ts';
import { afterStatement } from '../../../../test/support/interleaving.ts';
import { runJobs } from '../../../../test/support/jobs.ts';
import { stallingFiles } from '../../../../test/support/stalling-files.ts';
import { addUser } from '../../../../test/support/users.ts';
import { openWorkbook } from '../../../../test/support/xlsx.ts';
import { Job } from '../../../jobs/job.ts';
import type { FileStore } from '../../../storage/file-store.ts';
import { runExport } from './export-jobs.ts';

const path = '/api/dashboard/excel-exports';
const exportProcess = join(import.meta.dirname, '../../../../test/support/export-process.ts');
const soon = { timeout: 15_000, interval: 50 };

let api: TestApi;
let dataDir: string;
let partner: TestPartner;
let place: InsightListing;

beforeAll(async () => {
  api = await TestApi.start();
  dataDir = api.services.config.dataDir;
  partner = await api.addPartner();
  place = await addListedLocation(api.database, partner, await addBusinessRow(api.database, partner));
  await addDailyCounts(api.database, place, 'CALL_CLICKS', '2026-11-01', [1, 2, 3]);
});
afterAll(async () => {
  await api.close();
});

const wanted = { type: 'INSIGHTS', startDate: '2026-11-01', endDate: '2026-11-03' };
const work = () => runJobs(api.database);

async function createExport(by: Pick<TestPartner, 'call'> = partner, given: object = wanted): Promise<number> {
  const { code, body } = await by.call('POST', path, given);
  expect(body).toMatchObject({ status: 'SUCCESS', response: { status: 'CREATED', progress: 0 } });
  expect(code).toBe(200);
  return body.response.id;
}

const readExport = async (id: number) => (await partner.call('GET', `${path}/${id}`)).body.response;

/** All export files, including incomplete ones. */
async function listFiles(): Promise<string[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

const context = (files: FileStore, signal?: AbortSignal) => exportContext(api, files, signal);

describe('an Excel export', () => {
  test('is created in the background and downloaded under its name', async () => {
    const id = await createExport(partner, { ...wanted, name: 'Anrufe: „Köln“ 1/2' });
    const early = await partner.call('GET', `${path}/${id}/download`);
    expect(early).toMatchObject({ code: 409, body: { status: 'CONFLICT' } });
    expect(early.body.message).toContain('is CREATED. The file can be downloaded when the status is FINISHED');
    await work();
    const found = await readExport(id);
    const { code, bytes, headers } = await download(api, partner, found.downloadUrl);
    expect(code).toBe(200);
    expect(found).toMatchObject({
      status: 'FINISHED',
      progress: 100,
      rows: 3,
      format: 'xlsx',
      sizeBytes: bytes.length,
    });
    expect(Date.parse(found.dateExpires) - Date.parse(found.dateFinished)).toBe(7 * 86_400_000);
    expect(headers.get('content-length')).toBe(String(bytes.length));
    expect(headers.get('content-disposition')).toContain(
      "filename*=UTF-8''Anrufe-%20%E2%80%9EK%C3%B6ln%E2%80%9C%201-2.xlsx",
    );
    const { rows } = await openWorkbook(bytes);
    expect(rows('Google').map((row) => row[10])).toEqual(['Calls', 1, 2, 3]);
  });

  test('defaults to the whole dashboard and the last 30 days', async () => {
    const id = await createExport(partner, {});
    await work();
    expect(await readExport(id)).toMatchObject({ type: 'DASHBOARD', status: 'FINISHED', rows: 1 });
    const { book } = await openWorkbook(await downloadFile(api, partner, `${path}/${id}/download`));
    expect(book.SheetNames).toContain('Locations');
  });

  test('is created once per Idempotency-Key', async () => {
    const key = { 'Idempotency-Key': 'export-once' };
    const first = await partner.call('POST', path, wanted, key);
    const second = await partner.call('POST', path, wanted, key);
    expect(second.body.response.id).toBe(first.body.response.id);
  });

  test('can be renamed, and deleted with its file when finished', async () => {
    const id = await createExport();
    expect(await partner.call('DELETE', `${path}/${id}`)).toMatchObject({ code: 409 });
    await work();
    const before = (await listFiles()).length;
    expect((await partner.call('PATCH', `${path}/${id}`, {})).code).toBe(400);
    expect((await partner.call('PATCH', `${path}/${id}`, { name: ' ' })).body.errors).toMatchObject([
      { field: 'name' },
    ]);
    expect((await partner.call('PATCH', `${path}/${id}`, { name: ' Calls ' })).body.response).toMatchObject({
      name: 'Calls',
    });
    expect((await partner.call('DELETE', `${path}/${id}`)).body.response).toEqual({ success: true });
    expect((await partner.call('GET', `${path}/${id}`)).code).toBe(404);
    await work();
    expect(await listFiles()).toHaveLength(before - 1);
  });

  test('is listed newest first and filtered by status', async () => {
    const id = await createExport();
    const { response } = (await partner.call('GET', `${path}?max=1`)).body;
    expect(response).toMatchObject({ max: 1, exports: [{ id, status: 'CREATED' }] });
    const next = (await partner.call('GET', `${path}?max=1&after=${response.after}`)).body.response;
    expect(next.exports[0].id).toBeLessThan(id);
    const finished = (await partner.call('GET', `${path}?status=FINISHED`)).body.response;
    expect(finished.exports.map((entry: { status: string }) => entry.status)).not.toContain('CREATED');
    await work();
  });

  test('is missing in a page with a cursor if it was deleted in the meantime', async () => {
    const [oldest, older, newest] = [await createExport(), await createExport(), await createExport()];
    await work();
    afterStatement(api.database, ['from "tasks"', '"parameters"', 'offset'], async () => {
      expect((await partner.call('DELETE', `${path}/${older}`)).code).toBe(200);
    });
    const { response } = (await partner.call('GET', `${path}?max=2`)).body;
    expect(response).toMatchObject({ exports: [{ id: newest }], after: older });
    const rest = (await partner.call('GET', `${path}?max=2&after=${older}`)).body.response;
    expect(rest.exports[0]).toMatchObject({ id: oldest });
  });

  test('keeps its file for the configured time', async () => {
    const id = await createExport();
    await work();
    const before = (await listFiles()).length;
    await api.database.pool.query("update exports set expires_at = now() - interval '1 second' where id = $1", [id]);
    const late = await partner.call('GET', `${path}/${id}/download`);
    expect(late.code).toBe(404);
    expect(late.body.message).toMatch(/The file of the Excel export \d+ was removed after .* Create a new one\./);
    expect(await readExport(id)).not.toHaveProperty('downloadUrl');
    await new Job('exports.expire').enqueue(api.database.pool, {});
    await work();
    expect(await listFiles()).toHaveLength(before - 1);
  });
});

describe('a cancelled export', () => {
  test('is not started', async () => {
    const id = await createExport();
    const before = await listFiles();
    const cancelled = await partner.call('PATCH', `${path}/${id}`, { status: 'CANCELLED' });
    expect(cancelled.body.response).toMatchObject({ status: 'CANCELLED', progress: 0 });
    await work();
    expect(await readExport(id)).toMatchObject({ status: 'CANCELLED' });
    expect(await listFiles()).toEqual(before);
    expect((await partner.call('PATCH', `${path}/${id}`, { status: 'CANCELLED' })).code).toBe(409);
    expect((await partner.call('GET', `${path}/${id}/download`)).body.message).toContain(
      'was cancelled and has no file',
    );
  });

  test('leaves no file when it was running', async () => {
    const id = await createExport();
    const before = await listFiles();
    const files = stallingFiles(api.services.files);
    const making = runExport.run({ taskId: id }, context(files));
    await files.started;
    expect(await readExport(id)).toMatchObject({ status: 'RUNNING' });
    expect(await listFiles()).toHaveLength(before.length + 1);
    await partner.call('PATCH', `${path}/${id}`, { status: 'CANCELLED' });
    files.resume();
    await making;
    await work();
    expect(await listFiles()).toEqual(before);
    expect(await readExport(id)).toMatchObject({ status: 'CANCELLED' });
  });
});

describe('worker failures', () => {
  test('a stopping worker releases the export, and another continues at once', async () => {
    const id = await createExport();
    const stopping = new AbortController();
    const files = stallingFiles(api.services.files);
    const making = runExport.run({ taskId: id }, context(files, stopping.signal));
    await files.started;
    stopping.abort();
    files.resume();
    await making;
    expect(await readExport(id)).toMatchObject({ status: 'CREATED', progress: 0 });
    await work();
    expect(await readExport(id)).toMatchObject({ status: 'FINISHED' });
  });

  test('another worker takes over after a kill', async () => {
    const id = await createExport();
    const child = spawn(process.execPath, [exportProcess, api.database.url, String(id)], {
      env: { ...process.env, WAYPOST_DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    // No other worker starts while it is alive.
    await work();
    expect(await readExport(id)).toMatchObject({ status: 'RUNNING' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    await api.database.pool.query("update tasks set last_progress = now() - interval '1 hour' where id = $1", [id]);
    // The job of the other worker waits until the first one counts as dead.
    await runJobs(api.database, { early: true });
    const found = await readExport(id);
    expect(found).toMatchObject({ status: 'FINISHED', rows: 3 });
    expect((await downloadFile(api, partner, found.downloadUrl)).length).toBe(found.sizeBytes);
  });

  test('two workers create one file', async () => {
    const id = await createExport();
    const before = (await listFiles()).length;
    await Promise.all([1, 2, 3].map(() => runExport.run({ taskId: id }, context(api.services.files))));
    await work();
    expect(await readExport(id)).toMatchObject({ status: 'FINISHED' });
    expect(await listFiles()).toHaveLength(before + 1);
  });

  test('a worker that was considered dead drops its file', async () => {
    const id = await createExport();
    const before = (await listFiles()).length;
    const files = stallingFiles(api.services.files);
    const first = runExport.run({ taskId: id }, context(files));
    await files.started;
    await api.database.pool.query("update tasks set last_progress = now() - interval '1 hour' where id = $1", [id]);
    await runExport.run({ taskId: id }, context(api.services.files));
    const finished = await readExport(id);
    expect(finished).toMatchObject({ status: 'FINISHED' });
    files.resume();
    await first;
    await work();
    expect(await readExport(id)).toEqual(finished);
    expect(await listFiles()).toHaveLength(before + 1);
  });

  test('a failing file store fails the export with a message', async () => {
    const id = await createExport();
    const blocked = join(dataDir, 'blocked');
    await writeFile(blocked, '');
    await runJobs(api.database, { env: { WAYPOST_DATA_DIR: blocked } });
    const failed = await readExport(id);
    expect(failed).toMatchObject({ status: 'FAILED', error: expect.stringContaining('could not be stored') });
    expect((await partner.call('GET', `${path}/${id}/download`)).body.message).toContain(failed.error);
    await rm(blocked);
  });

  test('an unreachable bucket fails the export with a message', async () => {
    const id = await createExport();
    const bucket = {
      WAYPOST_S3_BUCKET_URL: 'http://127.0.0.1:1/waypost',
      WAYPOST_S3_KEY_ID: 'k',
      WAYPOST_S3_SECRET: 's',
    };
    await runJobs(api.database, { env: bucket });
    expect(await readExport(id)).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining('could not be stored'),
    });
  });
});

test('reports progress in locations', async () => {
  const other = await api.addPartner();
  const business = await addBusinessRow(api.database, other);
  for (let index = 0; index < 20; index += 1) await addListedLocation(api.database, other, business);
  const id = await createExport(other, {});
  const files = stallingFiles(api.services.files);
  const making = runExport.run({ taskId: id }, context(files));
  await files.started;
  const task = async () => (await other.call('GET', `/api/tasks/${id}`)).body.response;
  // The summary and twenty locations.
  await expect.poll(async () => (await task()).total, soon).toBe(21);
  const { done, progress, status } = await task();
  expect({ status, progress }).toEqual({ status: 'RUNNING', progress: Math.min(99, Math.floor((100 * done) / 21)) });
  files.resume();
  await making;
  expect(await task()).toMatchObject({ status: 'FINISHED', progress: 100, result: { rows: 20 } });
});

test('reports the counts of an export that finishes before its first heartbeat', async () => {
  const id = await createExport();
  await work();
  const { response } = (await partner.call('GET', `/api/tasks/${id}`)).body;
  expect(response).toMatchObject({ status: 'FINISHED', total: expect.any(Number), done: response.total });
});

describe('visibility', () => {
  test('users with full access see all exports, others their own', async () => {
    const features = ['DASHBOARD_READ' as const];
    const restricted = { role: 'LOCATION_MANAGER' as const, features, locationIds: [place.locationId] };
    const anna = await addUser(api, partner, restricted);
    const ben = await addUser(api, partner, restricted);
    const admin = await addUser(api, partner, { role: 'ADMIN' });
    const stranger = await api.addPartner();
    const [ours, annas] = [await createExport(), await createExport(anna)];
    await work();
    for (const by of [partner, admin]) {
      expect((await download(api, by, `${path}/${annas}/download`)).code).toBe(200);
    }
    expect((await download(api, anna, `${path}/${annas}/download`)).code).toBe(200);
    for (const [by, id] of [
      [anna, ours],
      [ben, annas],
      [stranger, ours],
    ] as const) {
      for (const [method, address, body] of [
        ['GET', `${path}/${id}`],
        ['GET', `${path}/${id}/download`],
        ['PATCH', `${path}/${id}`, { name: 'Mine' }],
        ['DELETE', `${path}/${id}`],
      ] as const) {
        expect((await by.call(method, address, body)).code, `${method} ${address}`).toBe(404);
      }
    }
    const listed = (await anna.call('GET', path)).body.response;
    expect(listed).toMatchObject({ count: 1, exports: [{ id: annas }] });
  });

  test('an export of a restricted user contains only accessible locations', async () => {
    const hidden = await addListedLocation(api.database, partner, place.businessId);
    await addDailyCounts(api.database, hidden, 'CALL_CLICKS', '2026-11-01', [50]);
    const manager = await addUser(api, partner, {
      role: 'LOCATION_MANAGER',
      features: ['DASHBOARD_READ'],
      locationIds: [place.locationId],
    });
    const id = await createExport(manager);
    await work();
    const { rows } = await openWorkbook(await downloadFile(api, manager, `${path}/${id}/download`));
    expect(
      new Set(
        rows('Google')
          .slice(1)
          .map(([first]) => first),
      ),
    ).toEqual(new Set([place.locationId]));
    expect((await manager.call('POST', path, { locationIds: [hidden.locationId] })).code).toBe(400);
  });
});

test('limits a partner to twenty pending exports', async () => {
  const busy = await api.addPartner();
  for (let index = 0; index < 20; index += 1) await createExport(busy);
  const response = await busy.call('POST', path, wanted);
  expect(response).toMatchObject({ code: 429, body: { status: 'QUOTA_LIMIT_EXCEED' } });
  expect(response.headers.get('retry-after')).toBe('30');
  await createExport();
});

test.each([
  [{ startDate: '2026-11-03', endDate: '2026-11-01' }, 'endDate'],
  [{ type: 'INSIGHTS', directoryTypes: ['WAZE'] }, 'directoryTypes'],
  [{ metrics: ['NOPE'] }, 'metrics'],
  [{ type: 'EVERYTHING' }, 'type'],
  [{ name: 'x'.repeat(201) }, 'name'],
])('rejects %j without creating an export', async (given, field) => {
  const count = async () => (await partner.call('GET', path)).body.response.count;
  const before = await count();
  const { code, body } = await partner.call('POST', path, given);
  expect(code).toBe(400);
  expect(body.errors[0].field).toBe(field);
  expect(await count()).toBe(before);
});
