import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi } from '../../../test/support/api.ts';
import { newestVersion, oldestVersion, timeline } from '../versions/timeline.ts';

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
});
afterAll(() => api.close());

describe('the pages', () => {
  test('the reference shows every path and field of a version, and needs neither a key nor a script', async () => {
    const { code, headers, body } = await api.call('GET', '/docs');
    expect(code).toBe(200);
    expect(headers.get('content-type')).toContain('text/html');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'unsafe-inline'");
    expect(body).toContain('/api/locations/{id}');
    expect(body).toContain('openingDate');
    expect(body).not.toContain('<script');
    const targets = new Set([...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const links = [...body.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.filter((id) => !targets.has(id))).toEqual([]);
    expect((await api.call('GET', '/docs?v=20211102')).body).toContain('futureOpeningDate');
    expect((await api.call('GET', '/docs?v=20211340')).code).toBe(400);
  });

  test('the change record has every entry with its description', async () => {
    const { code, body } = await api.call('GET', '/docs/changes');
    expect(code).toBe(200);
    for (const { version } of timeline) expect(body).toContain(`id="_${version}"`);
    expect(body).toContain('The location field futureOpeningDate is called openingDate.');
    expect(body).toMatch(/>Location<\/td><td[^>]*>labels as texts<\/td><td[^>]*>objects {id} or {name}<\/td>/);
  });

  test('programs read the change record, the newest entry first', async () => {
    const { call } = await api.addPartner();
    const { versions } = (await call('GET', '/api/versions')).body.response;
    expect(versions).toHaveLength(timeline.length);
    expect(versions[0]).toMatchObject({ version: newestVersion, date: '2026-07-13', kind: 'ADDITIVE' });
    const opening = versions.find(({ version }: { version: string }) => version === '20220222');
    expect(opening.replaced).toContainEqual({ where: 'Location', before: 'futureOpeningDate', now: 'openingDate' });
    expect(versions.at(-1)).toMatchObject({ version: oldestVersion, touches: ['GET /api/data-points'] });
  });
});
