import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { runJobs } from '../../../../test/support/jobs.ts';
import { addBusiness, addLocation, bakery } from '../../../../test/support/locations.ts';
import { addUser } from '../../../../test/support/users.ts';
import type { FieldGroup } from '../../accounts/index.ts';
import { csvLine } from './csv-records.ts';

let api: TestApi;
let folder: string;
let partner: TestPartner;
let businessId: number;

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_UPLOAD_LIMIT: '4' });
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

const columns = ['identifier', 'name', 'street', 'streetNo', 'zip', 'city', 'country', 'phone', 'categories'];
const row = (identifier: string, differing: Record<string, string> = {}) => {
  const cells: Record<string, string> = {
    identifier,
    name: `Bakery ${identifier}`,
    street: 'Venloer Straße',
    streetNo: '310',
    zip: '50823',
    city: 'Köln',
    country: 'DE',
    phone: '+49 221 9524300',
    categories: String(bakery),
    ...differing,
  };
  return csvLine(columns.map((column) => cells[column] ?? ''));
};
const fileOf = (...rows: string[]) => csvLine(columns) + rows.join('');

const upload = (
  file: string | Uint8Array,
  { by = partner.call, query = `?businessId=${businessId}`, headers = {} } = {},
) => by('POST', `/api/location-imports${query}`, file, { 'content-type': 'text/csv', ...headers });

async function imported(file: string | Uint8Array, options: Parameters<typeof upload>[1] = {}) {
  const { code, body } = await upload(file, options);
  expect(body).toMatchObject({ status: 'SUCCESS' });
  expect(code).toBe(200);
  await runJobs(api.database);
  return (await partner.call('GET', `/api/location-imports/${body.response.id}`)).body.response;
}

const errorsOf = async (id: number) =>
  (await partner.call('GET', `/api/location-imports/${id}/errors`)).body.response.errors;
const locations = async () => (await partner.call('GET', '/api/locations')).body.response.locations;
const uploads = () => readdir(join(folder, 'uploads')).catch(() => []);

test('imports the documented example with a category name', async () => {
  const example = 'identifier;name;street;city;country;categories\nlindner-1;Lindner;Ring 1;Köln;DE;bakery\n';
  expect(await imported(example)).toMatchObject({ status: 'FINISHED', created: 1, failed: 0 });
  expect(await locations()).toMatchObject([{ identifier: 'lindner-1', categories: [bakery] }]);
});

test('reports all errors of a row, including an unknown business', async () => {
  const file = `businessId,${fileOf()}999999999,${row('A', { name: '', zip: '1', categories: 'pizza' })}`;
  const { id } = await imported(file, { query: '' });
  const errors = await errorsOf(id);
  expect(errors.map(({ field }: { field: string }) => field).sort()).toEqual([
    'businessId',
    'categories',
    'name',
    'zip',
  ]);
  const { message } = errors.find(({ field }: { field: string }) => field === 'categories');
  expect(message).toMatch(/^Category pizza does not exist\. Similar: .*Pizza.*\. Use the name or id of a category\.$/);
});

test('returns the task immediately, then creates a location and an event for every valid row', async () => {
  const file = fileOf(row('A'), row('B'), row('C'));
  const { body } = await upload(file);
  expect(body.response).toMatchObject({ status: 'CREATED', progress: 0, rows: 3, sizeBytes: Buffer.byteLength(file) });
  const [stored] = await uploads();
  const { mode } = await stat(join(folder, 'uploads', String(stored)));
  expect(mode & 0o777).toBe(0o600);
  await runJobs(api.database);
  const done = (await partner.call('GET', `/api/location-imports/${body.response.id}`)).body.response;
  expect(done).toMatchObject({ status: 'FINISHED', progress: 100, created: 3, updated: 0, unchanged: 0, failed: 0 });
  const found = await locations();
  expect(found.map(({ identifier }: { identifier: string }) => identifier)).toEqual(['A', 'B', 'C']);
  const { rows } = await api.database.pool.query<{ body: string }>(
    "select body from events where partner_id = $1 and type = 'LOCATION_CREATED'",
    [partner.partner.id],
  );
  expect(rows.map(({ body: text }) => JSON.parse(text).source)).toEqual(['CSV_UPLOAD', 'CSV_UPLOAD', 'CSV_UPLOAD']);
  expect(await uploads()).toEqual([]);
});

test('reports invalid rows with line, field and text, and imports the others', async () => {
  const file = fileOf(
    row('A'),
    row('B', { phone: '12', zip: 'x' }),
    row('C', { name: '' }),
    `D,"one" two,x\n`,
    row('E', { categories: '999999999999' }),
    row('F'),
  );
  const done = await imported(file);
  expect(done).toMatchObject({ status: 'FINISHED', created: 2, failed: 4, rows: 6 });
  const errors = await errorsOf(done.id);
  const places = errors.map(({ line, field }: { line: number; field: string }) => [line, field]);
  expect(places).toEqual(
    expect.arrayContaining([
      [3, 'phone'],
      [3, 'zip'],
      [4, 'name'],
      [6, 'categories'],
    ]),
  );
  expect(errors.find(({ line }: { line: number }) => line === 5)).toBeDefined();
  expect(errors.find(({ line }: { line: number }) => line === 4)).toMatchObject({
    identifier: 'C',
    row: row('C', { name: '' }).trimEnd(),
  });
});

test('returns errors as CSV and in pages', async () => {
  const done = await imported(fileOf(...Array.from({ length: 5 }, (_, index) => row(`A${index}`, { phone: 'x"y' }))));
  const file = await partner.call('GET', `/api/location-imports/${done.id}/errors.csv`);
  expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(file.headers.get('content-disposition')).toContain(`location-import-${done.id}-errors.csv`);
  const lines = String(file.body).trimEnd().split('\r\n');
  expect(lines[0]).toContain('"line","field","message","row"');
  expect(lines).toHaveLength(6);
  expect(lines[1]).toContain('"2","phone"');
  const first = (await partner.call('GET', `/api/location-imports/${done.id}/errors?max=3`)).body.response;
  expect(first).toMatchObject({ count: 5, countIsExact: true });
  const next = await partner.call('GET', `/api/location-imports/${done.id}/errors?max=3&after=${first.after}`);
  expect(next.body.response.errors.map(({ line }: { line: number }) => line)).toEqual([5, 6]);
});

test('creates unknown labels, except for non-administrators before _20191203', async () => {
  const user = await addUser(api, partner, {
    role: 'BUSINESS_MANAGER',
    features: ['LOCATION_WRITE', 'LOCATION_READ'],
    businessIds: [businessId],
  });
  const labelled = (identifier: string, label: string) =>
    `${csvLine([...columns, 'labels'])}${row(identifier).trimEnd()},${csvLine([label])}`;
  const labels = async () =>
    (await partner.call('GET', '/api/labels')).body.response.labels.map(({ name }: { name: string }) => name);
  const old = { 'x-api-version': '20191202' };
  const refused = await imported(labelled('A', 'North'), { by: user.call, headers: old });
  expect(refused).toMatchObject({ created: 0, failed: 1 });
  expect(await errorsOf(refused.id)).toMatchObject([
    { field: 'labels', message: expect.stringContaining('only administrators can create labels') },
  ]);
  expect(await labels()).toEqual([]);
  expect(await imported(labelled('A', 'North'), { headers: old })).toMatchObject({ created: 1 });
  expect(await imported(labelled('B', 'north'), { by: user.call, headers: old })).toMatchObject({ created: 1 });
  expect(await imported(labelled('C', 'South'), { by: user.call })).toMatchObject({ created: 1 });
  expect(await labels()).toEqual(['North', 'South']);
});

test('updates locations by identifier, or by name and address', async () => {
  await imported(fileOf(row('A'), row('', { name: 'Nameless' })));
  expect(await imported(fileOf(row('A'), row('', { name: 'Nameless' })))).toMatchObject({ unchanged: 2, created: 0 });
  const changed = fileOf(row('A', { phone: '+49 221 9524301' }), row('', { name: 'Nameless', phone: '' }));
  expect(await imported(changed)).toMatchObject({ updated: 1, unchanged: 1, created: 0 });
  const found = await locations();
  expect(found).toHaveLength(2);
  expect(found[0].phone).toContain('9524301');
  expect(found[1].phone).toContain('9524300');
});

test('creates one location for repeated rows, with the values of the last', async () => {
  const done = await imported(fileOf(row('A'), row('A', { city: 'Bonn', zip: '53111' })));
  expect(done).toMatchObject({ created: 1, updated: 1 });
  expect(await locations()).toMatchObject([{ identifier: 'A', city: 'Bonn' }]);
});

test('accepts businessId in the file and rejects one of another partner', async () => {
  const other = await api.addPartner();
  const foreign = (await addBusiness(other)).id;
  const named = (id: number, name: string) => csvLine([id, name, 'Venloer Straße', 'Köln', 'DE', bakery]);
  const header = csvLine(['businessId', 'name', 'street', 'city', 'country', 'categories']);
  const done = await imported(header + named(businessId, 'Ours') + named(foreign, 'Theirs'), { query: '' });
  expect(done).toMatchObject({ created: 1, failed: 1 });
  expect(await errorsOf(done.id)).toMatchObject([{ line: 3, field: 'businessId' }]);
  expect((await upload(fileOf(row('A')), { query: `?businessId=${foreign}` })).code).toBe(400);
  expect(await uploads()).toEqual([]);
});

test('rejects missing columns and warns about unknown columns', async () => {
  const { code, body } = await upload('name,colour\nA,red\n', { query: '' });
  expect(code).toBe(400);
  expect(body.errors.map(({ field }: { field: string }) => field)).toEqual([
    'street',
    'city',
    'country',
    'categories',
    'businessId',
  ]);
  expect(await uploads()).toEqual([]);
  const fine = await upload(`Colour;${columns.join(';')}\n`);
  expect(fine.body.warnings).toEqual(['Unknown column ignored: Colour.']);
  expect(fine.body.response.warnings).toEqual(['Unknown column ignored: Colour.']);
  await runJobs(api.database);
});

test('rejects another encoding with line and byte, and stores nothing', async () => {
  const file = Buffer.concat([Buffer.from(fileOf(row('A'))), Buffer.from(row('B'), 'latin1')]);
  const { code, body } = await upload(file);
  expect(code).toBe(400);
  expect(body.message).toMatch(/not UTF-8: line 3, byte \d+ of the file \(0xdf\)/);
  expect(await locations()).toEqual([]);
  expect(await uploads()).toEqual([]);
  expect((await upload('a', { headers: { 'content-type': 'text/csv; charset=iso-8859-1' } })).code).toBe(400);
});

test('rejects an endless line and an oversized file during the upload', async () => {
  const line = Buffer.concat([Buffer.from(csvLine(columns)), Buffer.alloc(3 * 2 ** 20, 'x')]);
  const refused = await upload(line);
  expect(refused.code).toBe(400);
  expect(refused.body.message).toContain('line 2 is longer than 64 KiB');
  const large = fileOf(row('A')) + row('B').repeat(50_000);
  const tooLarge = await upload(large);
  expect(tooLarge.code).toBe(400);
  expect(tooLarge.body.message).toContain('larger than the limit of 4 MiB');
  expect(await uploads()).toEqual([]);
});

test('accepts a byte-order mark, semicolons, quotes and other line ends', async () => {
  const semicolons = [
    columns.join(';'),
    ['A', '"Ice; ""and"" Cream"', 'Ring', '5', '50823', 'Köln', 'DE', '', bakery].join(';'),
  ];
  const done = await imported(`\uFEFF${semicolons.join('\r')}\r`);
  expect(done).toMatchObject({ created: 1, failed: 0 });
  expect(await locations()).toMatchObject([{ name: 'Ice; "and" Cream' }]);
});

test('escapes formulas in the error file', async () => {
  const unquoted = columns.map((column) => (column === 'identifier' ? '=cmd|calc' : '')).join(',');
  const done = await imported(`${csvLine(columns)}${unquoted}\r\n`);
  const { body } = await partner.call('GET', `/api/location-imports/${done.id}/errors.csv`);
  expect(String(body)).toContain(`"'=cmd|calc,`);
  expect(String(body)).not.toMatch(/(^|,)"[=+@-]/m);
});

test('rejects a form with too many fields before reading it', async () => {
  const boundary = 'x-part';
  let sent = 0;
  const fields = new ReadableStream({
    pull(controller) {
      sent += 1;
      if (sent > 1000) return controller.close();
      const value = 'x'.repeat(64 * 1024);
      controller.enqueue(
        Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="f${sent}"\r\n\r\n${value}\r\n`),
      );
    },
  });
  const response = await fetch(`http://127.0.0.1:${api.port}/api/location-imports?businessId=${businessId}`, {
    method: 'POST',
    headers: { privateKey: partner.privateKey, 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: fields,
    duplex: 'half',
  } as RequestInit);
  expect(response.status).toBe(400);
  expect(((await response.json()) as { message: string }).message).toContain('at most 10 fields');
  expect(sent).toBeLessThan(1000);
});

test('accepts the file as a form part', async () => {
  const form = new FormData();
  form.set('comment', 'not a file');
  form.set('file', new Blob([fileOf(row('A'))], { type: 'text/csv' }), 'köln.csv');
  const uploaded = await fetch(`http://127.0.0.1:${api.port}/api/location-imports?businessId=${businessId}`, {
    method: 'POST',
    headers: { privateKey: partner.privateKey },
    body: form,
  });
  const { response } = (await uploaded.json()) as { response: { id: number; fileName: string } };
  expect(response.fileName).toBe('köln.csv');
  await runJobs(api.database);
  const done = await partner.call('GET', `/api/location-imports/${response.id}`);
  expect(done.body.response).toMatchObject({ created: 1 });
});

test('explains accepted content types for other bodies', async () => {
  const json = await partner.call('POST', '/api/location-imports', { name: 'A' });
  expect(json.code).toBe(400);
  expect(json.body.message).toContain('text/csv');
  const nothing = await partner.call('POST', '/api/location-imports');
  expect(nothing.body).toMatchObject({ status: 'MISSING_PARAMETER' });
  expect((await upload('')).body.message).toContain('empty');
});

test('replays an Idempotency-Key for the same file and rejects another file', async () => {
  const headers = { 'idempotency-key': 'once' };
  const first = await upload(fileOf(row('A')), { headers });
  const again = await upload(fileOf(row('A')), { headers });
  expect(again.body.response.id).toBe(first.body.response.id);
  expect((await upload(fileOf(row('B')), { headers })).code).toBe(409);
  expect(await uploads()).toHaveLength(1);
  await runJobs(api.database);
  expect(await uploads()).toEqual([]);
});

test('cancels an import and removes its file; rejects finished imports', async () => {
  const { body } = await upload(fileOf(row('A')));
  const { id } = body.response;
  const cancelled = await partner.call('POST', `/api/location-imports/${id}/cancel`);
  expect(cancelled.body.response).toMatchObject({ status: 'CANCELLED' });
  await runJobs(api.database);
  expect(await locations()).toEqual([]);
  expect(await uploads()).toEqual([]);
  expect((await partner.call('POST', `/api/location-imports/${id}/cancel`)).code).toBe(409);
});

test('returns a template with every column, which can be uploaded', async () => {
  const { body, headers } = await partner.call('GET', '/api/location-imports/template.csv');
  expect(headers.get('content-type')).toContain('text/csv');
  expect(body).toContain('mondayFrom1');
  expect(body).toContain('replaces the opening hours of all days');
  const uploaded = await upload(String(body), { query: '' });
  expect(uploaded.body.response).toMatchObject({ rows: 0, warnings: [] });
  await runJobs(api.database);
});

test('returns 404 for imports of another partner or beyond the reach of the user', async () => {
  const done = await imported(fileOf(row('A', { phone: 'x' })));
  const other = await api.addPartner();
  const manager = await addUser(api, partner, { role: 'BUSINESS_MANAGER', businessIds: [businessId] });
  for (const { call } of [other, manager]) {
    for (const path of ['', '/errors', '/errors.csv']) {
      expect((await call('GET', `/api/location-imports/${done.id}${path}`)).code).toBe(404);
    }
    expect((await call('POST', `/api/location-imports/${done.id}/cancel`)).code).toBe(404);
    expect((await call('GET', '/api/location-imports')).body.response.locationImports).toEqual([]);
  }
});

test('imports only what the user may write', async () => {
  const elsewhere = (await addBusiness(partner)).id;
  const theirs = await addLocation(partner, { businessId: elsewhere, identifier: 'THEIRS' });
  const manager = await addUser(api, partner, { role: 'BUSINESS_MANAGER', businessIds: [businessId] });
  expect((await upload(fileOf(row('A')), { by: manager.call, query: `?businessId=${elsewhere}` })).code).toBe(400);
  const { body } = await upload(fileOf(row('A'), row('THEIRS')), { by: manager.call });
  await runJobs(api.database);
  const done = await manager.call('GET', `/api/location-imports/${body.response.id}`);
  expect(done.body.response).toMatchObject({ created: 1, failed: 1, createdBy: manager.user.email });
  const single = await addUser(api, partner, { role: 'LOCATION_MANAGER', locationIds: [theirs.id] });
  const update = `businessId,${fileOf()}${elsewhere},${row('THEIRS')}${elsewhere},${row('B')}`;
  expect(await imported(update, { by: single.call, query: '' })).toMatchObject({ updated: 1, failed: 1 });
  const reader = await addUser(api, partner, { role: 'ACCOUNT_MANAGER', features: ['LOCATION_READ'] });
  expect((await upload(fileOf(row('A')), { by: reader.call })).code).toBe(403);
  expect(await uploads()).toEqual([]);
});

test('imports only fields of the groups of the user', async () => {
  await addLocation(partner, { businessId, identifier: 'KNOWN' });
  const groups: FieldGroup[] = ['NAME', 'ADDRESS', 'CATEGORIES', 'ADMINISTRATION'];
  const importAs = async (fieldGroups: FieldGroup[]) => {
    const user = await addUser(api, partner, { role: 'ACCOUNT_MANAGER', fieldGroups });
    return imported(fileOf(row('KNOWN')), { by: user.call });
  };
  const refused = await importAs(groups);
  expect(refused).toMatchObject({ updated: 0, failed: 1 });
  expect(await errorsOf(refused.id)).toMatchObject([
    { field: 'row', message: expect.stringContaining('not change phone') },
  ]);
  expect(await importAs([...groups, 'CONTACT'])).toMatchObject({ updated: 1, failed: 0 });
});

test('creates locations only for users with all fields of the row', async () => {
  const groups: FieldGroup[] = ['NAME', 'ADDRESS', 'CATEGORIES', 'ADMINISTRATION'];
  const importAs = async (fieldGroups: FieldGroup[]) => {
    const user = await addUser(api, partner, { role: 'ACCOUNT_MANAGER', fieldGroups });
    return imported(fileOf(row('NEW')), { by: user.call });
  };
  expect(await importAs(groups)).toMatchObject({ created: 0, failed: 1 });
  expect(await importAs([...groups, 'CONTACT'])).toMatchObject({ created: 1, failed: 0 });
  const changed = await addUser(api, partner, {
    role: 'ACCOUNT_MANAGER',
    fieldGroups: ['NAME', 'ADDRESS', 'CATEGORIES', 'CONTACT'],
  });
  // The identifier and the business of the row only find the location.
  expect(await imported(fileOf(row('NEW', { name: 'Renamed' })), { by: changed.call })).toMatchObject({ updated: 1 });
});
