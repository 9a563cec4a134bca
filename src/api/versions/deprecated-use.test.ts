import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { addLocation } from '../../../test/support/locations.ts';
import { entryFor } from './timeline.ts';

let api: TestApi;
let partner: TestPartner;
beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
  partner = await api.addPartner();
});
afterAll(() => api.close());

test('an old field is ignored with a warning in the newest version, and deprecated in old versions', async () => {
  const { id } = await addLocation(partner);
  const body = { name: 'Lindner', futureOpeningDate: '2031-01-01' };
  const current = await partner.call('PATCH', `/api/locations/${id}`, body);
  expect(current.body.warnings).toEqual([
    'futureOpeningDate was replaced in _20220222 and was ignored: it is now openingDate.',
  ]);
  expect(current.body.response).not.toHaveProperty('openingDate');
  const old = await partner.call('PATCH', `/api/locations/${id}?v=20220101`, body);
  expect(old.body.warnings).toEqual(['futureOpeningDate is deprecated since _20220222: it is now openingDate.']);
  expect(old.body.response.futureOpeningDate).toBe('2031-01-01');
});

test('rejects a removed parameter and names its replacement', async () => {
  expect(await partner.call('GET', '/api/data-points?onlyUnread=true')).toMatchObject({
    code: 400,
    body: {
      status: 'INVALID_PARAMETER',
      errors: [{ field: 'onlyUnread', rule: 'known', message: 'onlyUnread was removed in _20191022. Use isRead.' }],
    },
  });
});

test.for([
  ['20191202', 'labels', ['Flagship'], [{ name: 'Flagship' }], '_20191203: use objects {id} or {name}'],
  ['20211101', 'services', ['Cut'], [{ title: 'Cut' }], '_20211102: use service items {identifier, title, …}'],
] as const)('at _%s a location may have %s as %j, which is told of and counted', async (row) => {
  const [version, field, strings, objects, advice] = row;
  const own = await api.addPartner();
  const { id } = await addLocation(own);
  const path = `/api/locations/${id}?v=${version}`;
  const { body } = await own.call('PATCH', path, { [field]: strings });
  expect(body.warnings).toEqual([`Sending ${field} as strings is deprecated since ${advice}.`]);
  expect(await countsOf(own)).toContain(`version="${entryFor(version)}",name="${field} as strings"} 1`);
  // The new format in an old version is not deprecated.
  expect((await own.call('PATCH', path, { [field]: objects })).body).not.toHaveProperty('warnings');
});

test('reports and counts old formats of photos, dates and features', async () => {
  const own = await api.addPartner();
  const { id } = await addLocation(own);
  const photos = ['https://example.com/a.jpg'];
  const given = { directories: ['GOOGLE'], description: 'Rolls', locationIds: [id], photos };
  const post = await own.call('POST', '/api/social-posts?v=20210803', { ...given, dateStart: '2031-01-01T00:00:00Z' });
  expect(post.body.warnings.slice(0, 2)).toEqual([
    'Sending dateStart as the date of publication is deprecated since _20210804: use publicationDate.',
    'Sending photos as strings is deprecated since _20221208: use objects {photo, description}.',
  ]);
  const user = { email: 'old-features@example.com', role: 'LOCATION_MANAGER', features: ['INBOX'] };
  const { body } = await own.call('POST', '/api/users?v=20200127', user);
  expect(body.warnings).toEqual([
    'Sending features with INBOX is deprecated since _20200128: use INBOX_WRITE and INBOX_READ.',
  ]);
  const counts = await countsOf(own);
  for (const name of ['photos as strings', 'dateStart as the date of publication', 'features with INBOX']) {
    expect(counts).toContain(`name="${name}"} 1`);
  }
});

test('counts deprecated use per partner and version', async () => {
  const own = await api.addPartner();
  await own.call('GET', '/api/data-points?onlyUnread=true&v=20190104');
  await own.call('GET', '/api/data-points?onlyUnread=true&v=20190104');
  expect(await countsOf(own)).toContain('version="20190104",name="onlyUnread"} 2');
});

/** Deprecated use of a partner, as `version="…",name="…"} count`. */
async function countsOf(own: TestPartner): Promise<string> {
  const { uses } = (await own.call('GET', '/api/deprecated-use')).body.response;
  return (uses as { version: string; name: string; count: number }[])
    .map(({ version, name, count }) => `version="${version}",name="${name}"} ${count}`)
    .join('\n');
}

test('metrics count deprecated use without partners', async () => {
  const own = await api.addPartner();
  await own.call('GET', '/api/data-points?onlyUnread=true&v=20190104');
  const text = await api.services.metrics.metrics();
  expect(text).toMatch(/^waypost_deprecated_use_total\{version="20190104",name="onlyUnread"\} \d+$/m);
  expect(text).not.toContain(own.partner.identifier);
});
