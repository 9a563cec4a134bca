import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { TestApi } from '../../../test/support/api.ts';
import { newestVersion, oldestVersion, timeline } from '../versions/timeline.ts';

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
});
afterAll(() => api.close());

describe('documents are rendered once', () => {
  test.for([
    '/docs',
    '/docs?v=20211102',
    '/docs/changes',
    '/docs/openapi/latest.json',
    '/docs/openapi/20211102.json',
    '/docs/asyncapi.json',
  ])('%s has an entity tag, and is not sent again to a client that has it', async (path) => {
    const first = await api.call('GET', path);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect(first.headers.get('cache-control')).toBe('public, max-age=300');
    const again = await api.call('GET', path, undefined, { 'if-none-match': etag });
    expect(again).toMatchObject({ code: 304, body: '' });
    const plain = await api.call('GET', path, undefined, { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBe(null);
    expect(plain.body).toEqual(first.body);
  });

  test('the next request gets the cached bytes', async () => {
    const url = `http://127.0.0.1:${api.port}/docs/openapi/20230110.json`;
    await fetch(url).then((response) => response.arrayBuffer());
    const stringify = vi.spyOn(JSON, 'stringify');
    onTestFinished(() => stringify.mockRestore());
    expect((await fetch(url)).status).toBe(200);
    const rendered = stringify.mock.calls.filter(([value]) => (value as { openapi?: string } | null)?.openapi);
    expect(rendered).toEqual([]);
  });

  test('the newest document is available as latest.json', async () => {
    const { body } = await api.call('GET', '/docs/openapi/latest.json');
    expect(body.info.version).toBe(`_${newestVersion}`);
  });
});

describe('the pages', () => {
  test('the reference shows every path and field of a version without a key or script', async () => {
    const { code, headers, body } = await api.call('GET', '/docs');
    expect(code).toBe(200);
    expect(headers.get('content-type')).toContain('text/html');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'unsafe-inline'");
    expect(body).toContain('/api/locations/{id}');
    expect(body).toContain('openingDate');
    expect(body).toContain('Butter croissant');
    expect(body).toContain('href="/docs/asyncapi.json"');
    expect(body).not.toContain('<script');
    const targets = new Set([...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const links = [...body.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.filter((id) => !targets.has(id))).toEqual([]);
    expect((await api.call('GET', '/docs?v=20211102')).body).toContain('futureOpeningDate');
    expect((await api.call('GET', '/docs?v=20211340')).code).toBe(400);
  });

  test('the changelog has every entry with its description', async () => {
    const { code, body } = await api.call('GET', '/docs/changes');
    expect(code).toBe(200);
    for (const { version } of timeline) expect(body).toContain(`id="_${version}"`);
    expect(body).toContain('The location field futureOpeningDate was renamed to openingDate.');
    expect(body).toMatch(/>Location<\/td><td[^>]*>labels as strings<\/td><td[^>]*>objects {id} or {name}<\/td>/);
  });

  test('the API returns the changelog, newest entry first', async () => {
    const { call } = await api.addPartner();
    const { versions } = (await call('GET', '/api/versions')).body.response;
    expect(versions).toHaveLength(timeline.length);
    expect(versions[0]).toMatchObject({ version: newestVersion });
    expect(versions).toContainEqual(
      expect.objectContaining({ version: '20260713', date: '2026-07-13', kind: 'ADDITIVE' }),
    );
    const opening = versions.find(({ version }: { version: string }) => version === '20220222');
    expect(opening.replaced).toContainEqual({ where: 'Location', before: 'futureOpeningDate', now: 'openingDate' });
    expect(versions.at(-1)).toMatchObject({ version: oldestVersion, touches: ['GET /api/data-points'] });
  });
});
