import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../test/support/api.ts';
import { addExport, download } from '../../test/support/exports.ts';
import { rangeOf } from './file-route.ts';

const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const path = '/api/dashboard/excel-exports';

let api: TestApi;
let partner: TestPartner;

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
});
afterAll(async () => {
  await api.close();
});

test('sends a file with its type, length and name in ASCII and UTF-8', async () => {
  const id = await addExport(api, partner, path, { name: 'Ärger; "quoted" 100% \u{1F600}' });
  const { code, headers, bytes } = await download(api, partner, `${path}/${id}/download`);
  expect(code).toBe(200);
  expect(headers.get('content-type')).toBe(xlsx);
  expect(headers.get('content-length')).toBe(String(bytes.length));
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  const [, plain, encoded] = /^attachment; filename="([^"\\]+)"; filename\*=UTF-8''(\S+)$/.exec(
    headers.get('content-disposition') ?? '',
  ) ?? ['', '', ''];
  expect(plain).toBe('Arger; -quoted- 100_ __.xlsx');
  expect(decodeURIComponent(encoded)).toBe('Ärger; -quoted- 100% \u{1F600}.xlsx');
});

test('returns errors as JSON', async () => {
  const missing = await partner.call('GET', `${path}/999999/download`);
  expect(missing).toMatchObject({ code: 404, body: { status: 'NOT_FOUND' } });
  expect(missing.headers.get('content-type')).toContain('application/json');
  expect(missing.headers.get('content-disposition')).toBe(null);
  expect(await partner.call('GET', `${path}/nonsense/download`)).toMatchObject({
    code: 400,
    body: { status: 'WRONG_PARAMETER_TYPE' },
  });
});

test('refuses an unknown query parameter', async () => {
  const id = await addExport(api, partner, path);
  expect(await partner.call('GET', `${path}/${id}/download?startDay=1&v=20260713`)).toMatchObject({
    code: 400,
    body: { status: 'INVALID_PARAMETER', errors: [{ field: 'startDay', rule: 'known' }] },
  });
  const asked = 'dashboard/export-insights-data-with-threshold?type=GOOGLE&startDat=2026-01-01';
  expect(await partner.call('GET', `/api/${asked}`)).toMatchObject({
    code: 400,
    body: { message: expect.stringContaining('Did you mean startDate?') },
  });
});

test('the OpenAPI document lists the media types of the file', async () => {
  const { body } = await api.call(
    'GET',
    `/docs/openapi/${(await api.call('GET', '/health')).headers.get('x-api-version')}.json`,
  );
  const { responses } = body.paths[`${path}/{id}/download`].get;
  const shared = ({ $ref }: { $ref: string }) => body.components.responses[$ref.split('/').at(-1) ?? ''];
  const file = { schema: { type: 'string', format: 'binary' } };
  expect(shared(responses['200']).content).toEqual({ [xlsx]: file, 'application/pdf': file });
  expect(Object.keys(shared(responses['404']).content)).toEqual(['application/json']);
});

test.each([
  ['bytes=0-9', { from: 0, to: 9 }],
  ['bytes=90-', { from: 90, to: 99 }],
  ['bytes=90-500', { from: 90, to: 99 }],
  ['bytes=-10', { from: 90, to: 99 }],
  ['bytes=-500', { from: 0, to: 99 }],
  ['bytes=99-99', { from: 99, to: 99 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=9-0', undefined],
  ['bytes=0-1,5-6', undefined],
  ['bytes=-', undefined],
  ['items=0-1', undefined],
  ['bytes=a-b', undefined],
  [undefined, undefined],
])('of 100 bytes %j asks for %j', (header, range) => {
  expect(rangeOf(header, 100)).toEqual(range);
});
