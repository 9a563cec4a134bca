import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { download, downloadFile, exportContext } from '../../../test/support/exports.ts';
import { addBusinessRow, addCountedPlace, type CountedPlace, countDays } from '../../../test/support/figures.ts';
import { runJobs } from '../../../test/support/jobs.ts';
import { stallingFiles } from '../../../test/support/stalling-files.ts';
import { addUser } from '../../../test/support/users.ts';
import { openWorkbook } from '../../../test/support/xlsx.ts';
import { enqueueJob } from '../../database/job-queue.ts';
import type { FileStore } from '../../storage/file-store.ts';
import { makeExport } from './make-export.ts';

const path = '/api/dashboard/excel-exports';
const exportProcess = join(import.meta.dirname, '../../../test/support/export-process.ts');
const soon = { timeout: 15_000, interval: 50 };

let api: TestApi;
let dataDir: string;
let partner: TestPartner;
let place: CountedPlace;

beforeAll(async () => {
  api = await TestApi.start();
  dataDir = api.services.config.dataDir;
  partner = await api.addPartner();
  place = await addCountedPlace(api.database, partner, await addBusinessRow(api.database, partner));
  await countDays(api.database, place, 'CALL_CLICKS', '2026-11-01', [1, 2, 3]);
});
afterAll(async () => {
  await api.close();
});

const wanted = { type: 'INSIGHTS', startDate: '2026-11-01', endDate: '2026-11-03' };
const work = () => runJobs(api.database);

async function ordered(by: Pick<TestPartner, 'call'> = partner, given: object = wanted): Promise<number> {
  const { code, body } = await by.call('POST', path, given);
  expect(body).toMatchObject({ status: 'SUCCESS', response: { status: 'CREATED', progress: 0 } });
  expect(code).toBe(200);
  return body.response.id;
}

const standing = async (id: number) => (await partner.call('GET', `${path}/${id}`)).body.response;

/** Every file of every export, also those that have only begun. */
async function filesThere(): Promise<string[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

const context = (files: FileStore, signal?: AbortSignal) => exportContext(api, files, signal);

describe('an Excel export', () => {
  test('is made in the background, and then downloaded under its name', async () => {
    const id = await ordered(partner, { ...wanted, name: 'Anrufe: „Köln“ 1/2' });
    const early = await partner.call('GET', `${path}/${id}/download`);
    expect(early).toMatchObject({ code: 409, body: { status: 'CONFLICT' } });
    expect(early.body.message).toContain('is CREATED: its file can be downloaded when it is FINISHED');
    await work();
    const found = await standing(id);
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

  test('is of the whole dashboard and the last thirty days unless something else is asked for', async () => {
    const id = await ordered(partner, {});
    await work();
    expect(await standing(id)).toMatchObject({ type: 'DASHBOARD', status: 'FINISHED', rows: 1 });
    const { book } = await openWorkbook(await downloadFile(api, partner, `${path}/${id}/download`));
    expect(book.SheetNames).toContain('Locations');
  });

  test('is asked for once, however often it is sent with one key', async () => {
    const key = { 'Idempotency-Key': 'export-once' };
    const first = await partner.call('POST', path, wanted, key);
    const second = await partner.call('POST', path, wanted, key);
    expect(second.body.response.id).toBe(first.body.response.id);
  });

  test('can be renamed, deleted when it has ended, and takes its file with it', async () => {
    const id = await ordered();
    expect(await partner.call('DELETE', `${path}/${id}`)).toMatchObject({ code: 409 });
    await work();
    const before = (await filesThere()).length;
    expect((await partner.call('PATCH', `${path}/${id}`, {})).code).toBe(400);
    expect((await partner.call('PATCH', `${path}/${id}`, { name: 'Calls' })).body.response).toMatchObject({
      name: 'Calls',
    });
    expect((await partner.call('DELETE', `${path}/${id}`)).body.response).toEqual({ success: true });
    expect((await partner.call('GET', `${path}/${id}`)).code).toBe(404);
    await work();
    expect(await filesThere()).toHaveLength(before - 1);
  });

  test('is listed with the others, the newest first, by status', async () => {
    const id = await ordered();
    const { response } = (await partner.call('GET', `${path}?max=1`)).body;
    expect(response).toMatchObject({ max: 1, exports: [{ id, status: 'CREATED' }] });
    const next = (await partner.call('GET', `${path}?max=1&after=${response.after}`)).body.response;
    expect(next.exports[0].id).toBeLessThan(id);
    const finished = (await partner.call('GET', `${path}?status=FINISHED`)).body.response;
    expect(finished.exports.map((entry: { status: string }) => entry.status)).not.toContain('CREATED');
    await work();
  });

  test('has a file for as long as the setting says, and then none', async () => {
    const id = await ordered();
    await work();
    const before = (await filesThere()).length;
    await api.database.pool.query("update exports set expires_at = now() - interval '1 second' where id = $1", [id]);
    const late = await partner.call('GET', `${path}/${id}/download`);
    expect(late.code).toBe(404);
    expect(late.body.message).toMatch(/The file of the Excel export \d+ was removed after .* Start it again\./);
    expect(await standing(id)).not.toHaveProperty('downloadUrl');
    await enqueueJob(api.database.pool, 'exports.expire', {});
    await work();
    expect(await filesThere()).toHaveLength(before - 1);
  });
});

describe('an export that is cancelled', () => {
  test('before it begins is never made', async () => {
    const id = await ordered();
    const before = await filesThere();
    const cancelled = await partner.call('PATCH', `${path}/${id}`, { status: 'CANCELLED' });
    expect(cancelled.body.response).toMatchObject({ status: 'CANCELLED', progress: 0 });
    await work();
    expect(await standing(id)).toMatchObject({ status: 'CANCELLED' });
    expect(await filesThere()).toEqual(before);
    expect((await partner.call('PATCH', `${path}/${id}`, { status: 'CANCELLED' })).code).toBe(409);
    expect((await partner.call('GET', `${path}/${id}/download`)).body.message).toContain(
      'was cancelled and has no file',
    );
  });

  test('in the midst of it leaves no file', async () => {
    const id = await ordered();
    const before = await filesThere();
    const files = stallingFiles(api.services.files);
    const making = makeExport(id, context(files));
    await files.hasBegun;
    expect(await standing(id)).toMatchObject({ status: 'RUNNING' });
    expect(await filesThere()).toHaveLength(before.length + 1);
    await partner.call('PATCH', `${path}/${id}`, { status: 'CANCELLED' });
    files.goOn();
    await making;
    await work();
    expect(await filesThere()).toEqual(before);
    expect(await standing(id)).toMatchObject({ status: 'CANCELLED' });
  });
});

describe('whatever becomes of the process that makes it', () => {
  test('one that stops gives it back, and another makes it at once', async () => {
    const id = await ordered();
    const stopping = new AbortController();
    const files = stallingFiles(api.services.files);
    const making = makeExport(id, context(files, stopping.signal));
    await files.hasBegun;
    stopping.abort();
    files.goOn();
    await making;
    expect(await standing(id)).toMatchObject({ status: 'CREATED', progress: 0 });
    await work();
    expect(await standing(id)).toMatchObject({ status: 'FINISHED' });
  });

  test('one that is killed is made up for', async () => {
    const id = await ordered();
    const child = spawn(process.execPath, [exportProcess, api.database.url, String(id)], {
      env: { ...process.env, WAYPOST_DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    // While it lives, nobody else begins.
    await work();
    expect(await standing(id)).toMatchObject({ status: 'RUNNING' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    await api.database.pool.query("update tasks set last_progress = now() - interval '1 hour' where id = $1", [id]);
    await enqueueJob(api.database.pool, 'tasks.take-up', {});
    await work();
    const found = await standing(id);
    expect(found).toMatchObject({ status: 'FINISHED', rows: 3 });
    expect((await downloadFile(api, partner, found.downloadUrl)).length).toBe(found.sizeBytes);
  });

  test('two at once make one file', async () => {
    const id = await ordered();
    const before = (await filesThere()).length;
    await Promise.all([1, 2, 3].map(() => makeExport(id, context(api.services.files))));
    await work();
    expect(await standing(id)).toMatchObject({ status: 'FINISHED' });
    expect(await filesThere()).toHaveLength(before + 1);
  });

  test('one that was thought dead drops what it has made', async () => {
    const id = await ordered();
    const before = (await filesThere()).length;
    const files = stallingFiles(api.services.files);
    const first = makeExport(id, context(files));
    await files.hasBegun;
    await api.database.pool.query("update tasks set last_progress = now() - interval '1 hour' where id = $1", [id]);
    await makeExport(id, context(api.services.files));
    const finished = await standing(id);
    expect(finished).toMatchObject({ status: 'FINISHED' });
    files.goOn();
    await first;
    await work();
    expect(await standing(id)).toEqual(finished);
    expect(await filesThere()).toHaveLength(before + 1);
  });

  test('a store that takes nothing fails it, in words', async () => {
    const id = await ordered();
    const blocked = join(dataDir, 'blocked');
    await writeFile(blocked, '');
    await runJobs(api.database, { env: { WAYPOST_DATA_DIR: blocked } });
    const failed = await standing(id);
    expect(failed).toMatchObject({ status: 'FAILED', error: expect.stringContaining('could not be stored') });
    expect((await partner.call('GET', `${path}/${id}/download`)).body.message).toContain(failed.error);
    await rm(blocked);
  });

  test('so does a bucket that cannot be reached', async () => {
    const id = await ordered();
    const bucket = {
      WAYPOST_S3_BUCKET_URL: 'http://127.0.0.1:1/waypost',
      WAYPOST_S3_KEY_ID: 'k',
      WAYPOST_S3_SECRET: 's',
    };
    await runJobs(api.database, { env: bucket });
    expect(await standing(id)).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining('could not be stored'),
    });
  });
});

test('says how far it has come in locations', async () => {
  const other = await api.addPartner();
  const business = await addBusinessRow(api.database, other);
  for (let index = 0; index < 20; index += 1) await addCountedPlace(api.database, other, business);
  const id = await ordered(other, {});
  const files = stallingFiles(api.services.files);
  const making = makeExport(id, context(files));
  await files.hasBegun;
  const task = async () => (await other.call('GET', `/api/tasks/${id}`)).body.response;
  // The summary and twenty locations.
  await expect.poll(async () => (await task()).total, soon).toBe(21);
  const { done, progress, status } = await task();
  expect({ status, progress }).toEqual({ status: 'RUNNING', progress: Math.min(99, Math.floor((100 * done) / 21)) });
  files.goOn();
  await making;
  expect(await task()).toMatchObject({ status: 'FINISHED', progress: 100, result: { rows: 20 } });
});

test('has its counts also when it finishes before its first report', async () => {
  const id = await ordered();
  await work();
  const { response } = (await partner.call('GET', `/api/tasks/${id}`)).body;
  expect(response).toMatchObject({ status: 'FINISHED', total: expect.any(Number), done: response.total });
});

describe('who sees an export', () => {
  test('the partner and those of its users who see everything; others only what they began', async () => {
    const features = ['DASHBOARD_READ' as const];
    const restricted = { role: 'LOCATION_MANAGER' as const, features, locationIds: [place.locationId] };
    const anna = await addUser(api, partner, restricted);
    const ben = await addUser(api, partner, restricted);
    const admin = await addUser(api, partner, { role: 'ADMIN' });
    const stranger = await api.addPartner();
    const [ours, annas] = [await ordered(), await ordered(anna)];
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

  test('a restricted user’s export holds only his locations', async () => {
    const hidden = await addCountedPlace(api.database, partner, place.businessId);
    await countDays(api.database, hidden, 'CALL_CLICKS', '2026-11-01', [50]);
    const manager = await addUser(api, partner, {
      role: 'LOCATION_MANAGER',
      features: ['DASHBOARD_READ'],
      locationIds: [place.locationId],
    });
    const id = await ordered(manager);
    await work();
    const { rows } = await openWorkbook(await downloadFile(api, manager, `${path}/${id}/download`));
    expect(
      new Set(
        rows('Google')
          .slice(1)
          .map(([first]) => first),
      ),
    ).toEqual(new Set([place.locationId]));
    expect((await manager.call('POST', path, { locationIds: [hidden.locationId] })).code).toBe(404);
  });
});

test('one partner has no more than twenty under way', async () => {
  const busy = await api.addPartner();
  for (let index = 0; index < 20; index += 1) await ordered(busy);
  const answer = await busy.call('POST', path, wanted);
  expect(answer).toMatchObject({ code: 429, body: { status: 'QUOTA_LIMIT_EXCEED' } });
  expect(answer.headers.get('retry-after')).toBe('30');
  await ordered();
});

test.each([
  [{ startDate: '2026-11-03', endDate: '2026-11-01' }, 'endDate'],
  [{ directoryTypes: ['WAZE'] }, 'directoryTypes'],
  [{ metrics: ['NOPE'] }, 'metrics'],
  [{ type: 'EVERYTHING' }, 'type'],
  [{ name: 'x'.repeat(201) }, 'name'],
])('%j is refused and begins nothing', async (given, field) => {
  const count = async () => (await partner.call('GET', path)).body.response.count;
  const before = await count();
  const { code, body } = await partner.call('POST', path, given);
  expect(code).toBe(400);
  expect(body.errors[0].field).toBe(field);
  expect(await count()).toBe(before);
});
