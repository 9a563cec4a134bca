import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addBusiness, addLocation } from '../../../../test/support/locations.ts';
import { addUser } from '../../../../test/support/users.ts';

const path = '/api/social-ai/generate-content';
const limits = { GOOGLE: 1500, FACEBOOK: 5000, APPLE_MAPS: 500, INSTAGRAM: 2200 };

let api: TestApi;
let partner: TestPartner;
let locationId: number;

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000', WAYPOST_AI_TEXTS_PER_HOUR: '40' });
  partner = await api.addPartner();
  locationId = (await addLocation(partner, { website: 'https://lindner.example/', services: [{ title: 'Catering' }] }))
    .id;
});
afterAll(() => api.close());

// biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
type Content = any;

const generate = (body: object, by: { call: TestPartner['call'] } = partner) => by.call('POST', path, body);

describe('without a model', () => {
  test('uses the built-in writer and names it as source', async () => {
    const { code, body } = await generate({ topic: 'Rye bread', directories: ['GOOGLE'], locationId, length: 'LONG' });
    expect(code).toBe(200);
    const [content] = body.response.contents;
    expect(content).toMatchObject({ directory: 'GOOGLE', source: 'BUILT_IN', hashtags: [] });
    expect(content.characterCount).toBe(content.text.length);
    for (const part of ['Rye bread', 'Bäckerei Lindner Ehrenfeld', 'Köln', 'Bakery', 'Catering', 'lindner.example']) {
      expect(content.text).toContain(part);
    }
  });

  test('writes for every directory that supports posts, within its limit', async () => {
    const otherPartner = await api.addPartner();
    const topic = 'x'.repeat(490);
    const { body } = await generate({ topic, variants: 3, hashtags: true, keywords: ['y'.repeat(50)] }, otherPartner);
    const contents: Content[] = body.response.contents;
    expect(contents.map(({ directory }) => directory)).toEqual(
      Object.keys(limits).flatMap((type) => [type, type, type]),
    );
    for (const { directory, characterCount, text, hashtags } of contents) {
      expect(characterCount).toBeLessThanOrEqual(limits[directory as keyof typeof limits]);
      expect(text.endsWith(hashtags.join(' '))).toBe(true);
    }
  });

  test('defaults to the language of the location', async () => {
    const { id } = await addLocation(partner, { name: 'Filiale', streetNo: '1', languages: ['de'] });
    const german = await generate({ topic: 'Roggenbrot', directories: ['GOOGLE'], locationId: id, length: 'LONG' });
    expect(german.body.response.contents[0].text).toContain('Hier sind wir zu finden: Filiale in Köln.');
    const french = await generate({ topic: 'Pain', directories: ['GOOGLE'], locationId: id, language: 'fr-CH' });
    expect(french.body.response.contents[0].text).toContain('Retrouvez-nous chez Filiale à Köln.');
  });

  test('warns about an unsupported language', async () => {
    const { body } = await generate({ topic: 'Leipä', directories: ['GOOGLE'], language: 'fi' });
    expect(body.warnings).toEqual([expect.stringMatching(/does not support fi.*en, de, fr, es, it, nl/)]);
  });

  test('removes sentences with foreign links in the topic', async () => {
    const { body } = await generate({
      topic: 'Bread. Win at https://evil.example/win',
      directories: ['GOOGLE'],
      locationId,
    });
    expect(body.response.contents[0].text).not.toContain('evil');
    expect(body.warnings).toHaveLength(1);
  });

  test('an Idempotency-Key returns the first response', async () => {
    const headers = { 'idempotency-key': 'same' };
    const request = { topic: 'Rye bread', directories: ['GOOGLE'] };
    const first = await partner.call('POST', path, request, headers);
    const second = await partner.call('POST', path, request, headers);
    expect(second.body).toEqual(first.body);
  });
});

describe('invalid input', () => {
  test.each([
    [{}, 'topic', 'required'],
    [{ topic: '  ' }, 'topic', 'pattern'],
    [{ topic: 'x'.repeat(501) }, 'topic', 'maxLength'],
    [{ topic: 'x', tone: 'ANGRY' }, 'tone', 'enum'],
    [{ topic: 'x', length: 'ENDLESS' }, 'length', 'enum'],
    [{ topic: 'x', variants: 4 }, 'variants', 'maximum'],
    [{ topic: 'x', variants: 0 }, 'variants', 'minimum'],
    [{ topic: 'x', language: 'klingonisch' }, 'language', 'language'],
    [{ topic: 'x', directories: ['GOOGLE', 'YELP'] }, 'directories[1]', 'enum'],
    [{ topic: 'x', hashtags: 'yes' }, 'hashtags', 'type'],
    [{ topic: 'x', keywords: Array(11).fill('y') }, 'keywords', 'maxItems'],
  ])('rejects %j: %s, %s', async (body, field, rule) => {
    expect(await generate(body)).toMatchObject({
      code: 400,
      body: { errors: [expect.objectContaining({ field, rule })] },
    });
  });
});

describe('permissions', () => {
  test('requires SOCIAL_POST_WRITE', async () => {
    const reader = await addUser(api, partner, { role: 'BUSINESS_MANAGER', features: ['SOCIAL_POST_READ'] });
    expect(await generate({ topic: 'x' }, reader)).toMatchObject({ code: 403, body: { status: 'FORBIDDEN' } });
  });

  test('an inaccessible location is not found', async () => {
    const otherPartner = await api.addPartner();
    expect(await generate({ topic: 'x', locationId }, otherPartner)).toMatchObject({ code: 400 });
    const { id: elsewhere } = await addBusiness(partner);
    const user = await addUser(api, partner, {
      role: 'BUSINESS_MANAGER',
      features: ['SOCIAL_POST_WRITE'],
      businessIds: [elsewhere],
    });
    expect(await generate({ topic: 'x', locationId }, user)).toMatchObject({ code: 400 });
  });
});

test('limits texts per partner and hour', async () => {
  const heavyUser = await api.addPartner();
  const many = { topic: 'Bread', variants: 3 };
  for (let used = 12; used <= 36; used += 12) expect(await generate(many, heavyUser)).toMatchObject({ code: 200 });
  const rejected = await generate(many, heavyUser);
  expect(rejected).toMatchObject({ code: 429, body: { status: 'QUOTA_LIMIT_EXCEED' } });
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(rejected.headers.get('retry-after'))).toBeLessThanOrEqual(3600);
  expect(await generate({ topic: 'Bread' }, heavyUser)).toMatchObject({ code: 200 });
  expect(await generate({ topic: 'Bread', directories: ['GOOGLE'] }, heavyUser)).toMatchObject({ code: 429 });
  expect(await generate(many, await api.addPartner())).toMatchObject({ code: 200 });
});
