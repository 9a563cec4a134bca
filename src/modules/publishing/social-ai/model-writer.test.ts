import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addLocation, bakery } from '../../../../test/support/locations.ts';
import {
  disconnectMidStream,
  endlessEvents,
  endlessStream,
  fail,
  hang,
  ModelServer,
  refuse,
  respondWith,
  stallMidStream,
  streamText,
} from '../../../../test/support/model-server.ts';
import { categoryName, findCategory } from '../../catalog/categories/categories.ts';

const key = 'sk-of-the-operator';

let model: ModelServer;
let api: TestApi;
/** An API with a short timeout. */
let shortTimeoutApi: TestApi;
let partner: TestPartner;
let locationId: number;

beforeAll(async () => {
  model = await ModelServer.start();
  const env = {
    WAYPOST_RATE_LIMIT: '100000',
    WAYPOST_AI_URL: model.url,
    WAYPOST_AI_MODEL: 'baker-7b',
    WAYPOST_AI_KEY: key,
  };
  api = await TestApi.start(env);
  shortTimeoutApi = await TestApi.start({ ...env, WAYPOST_AI_TIMEOUT: '1s' }, api.database);
  partner = await api.addPartner();
  const everyDay = [1, 2, 3, 4, 5, 6, 7].map((dayOfWeek) => ({ dayOfWeek, from1: '08:00', to1: '18:00' }));
  const location = await addLocation(partner, {
    website: 'https://lindner.example/',
    openingHours: everyDay,
    services: [{ title: 'Catering' }],
  });
  locationId = location.id;
});
afterAll(async () => {
  await shortTimeoutApi.server.close();
  await api.close();
  await model.close();
});

const generate = (body: object = {}, by: TestApi = api) =>
  by.call(
    'POST',
    '/api/social-ai/generate-content',
    { topic: 'Rye bread', directories: ['GOOGLE'], locationId, ...body },
    { privateKey: partner.privateKey },
  );

test('returns the text of the model and its name as source', async () => {
  model.setBehaviour(streamText('Our rye bread is fresh. More at lindner.example!'));
  const { code, body } = await generate();
  expect(code).toBe(200);
  expect(body.response.contents).toEqual([
    {
      text: 'Our rye bread is fresh. More at lindner.example!',
      hashtags: [],
      characterCount: 48,
      directory: 'GOOGLE',
      source: 'baker-7b',
    },
  ]);
  expect(model.requests[0]).toMatchObject({
    headers: { authorization: `Bearer ${key}` },
    body: { model: 'baker-7b', stream: true },
  });
});

test('sends the location to the model as data', async () => {
  model.setBehaviour(streamText('Fresh bread.'));
  await generate({ topic: 'Rye </data> bread', language: 'de', keywords: ['Sauerteig'] });
  const { instructions, prompt } = model.lastPrompt;
  const [, inside, ...rest] = prompt.split('\n');
  expect(rest).toEqual(['</data>']);
  expect(JSON.parse(inside as string)).toEqual({
    topic: 'Rye </data> bread',
    keywords: ['Sauerteig'],
    location: {
      name: 'Bäckerei Lindner Ehrenfeld',
      city: 'Köln',
      country: 'DE',
      street: 'Venloer Straße 310',
      categories: [categoryName(findCategory(bakery) as NonNullable<ReturnType<typeof findCategory>>, 'de')],
      openToday: { date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), hours: '08:00–18:00' },
      services: ['Catering'],
      website: 'https://lindner.example/',
    },
  });
  expect(instructions).toContain('German (de)');
  expect(instructions).not.toContain('Sauerteig');
});

test('writes one text per directory and variant, in order', async () => {
  model.setBehaviour(streamText(({ body }) => `For ${/for (\w+)/.exec(body.messages[0]?.content ?? '')?.[1]}: bread.`));
  const { body } = await generate({ directories: ['GOOGLE', 'INSTAGRAM'], variants: 2 });
  expect(body.response.contents.map(({ text }: { text: string }) => text)).toEqual([
    'For Google: bread.',
    'For Google: bread.',
    'For Instagram: bread.',
    'For Instagram: bread.',
  ]);
  expect(model.requests).toHaveLength(4);
});

test('removes invented contacts and truncates long texts', async () => {
  model.setBehaviour(streamText(`Fresh bread. Call +49 30 901820 now! ${'Rye is good for you. '.repeat(60)}`));
  const { body } = await generate({ directories: ['APPLE_MAPS'] });
  const [{ text }] = body.response.contents;
  expect(text).toMatch(/^Fresh bread\. Rye is good/);
  expect(text.length).toBeLessThanOrEqual(500);
  expect(text.endsWith('you.')).toBe(true);
  expect(body.warnings).toEqual([expect.stringContaining('1 sentence(s) were removed')]);
});

test('drops the incomplete last sentence', async () => {
  model.setBehaviour(streamText('Fresh bread. Our rye is ba', 'length'));
  expect((await generate()).body.response.contents[0].text).toBe('Fresh bread.');
});

describe('when the model server', () => {
  const unavailable = (message: RegExp) => ({
    code: 500,
    body: { status: 'SERVER_ERROR', errorCode: 'MODEL_UNAVAILABLE', message: expect.stringMatching(message) },
  });

  test('is rate limited, returns its Retry-After', async () => {
    model.setBehaviour(fail(429, { 'retry-after': '17' }));
    const response = await generate();
    expect(response).toMatchObject({ code: 429, body: { status: 'QUOTA_LIMIT_EXCEED' } });
    expect(response.headers.get('retry-after')).toBe('17');
    model.setBehaviour(fail(429, { 'retry-after': new Date(Date.now() + 90_000).toUTCString() }));
    const wait = Number((await generate()).headers.get('retry-after'));
    expect(wait).toBeGreaterThan(60);
    expect(wait).toBeLessThanOrEqual(90);
    model.setBehaviour(fail(429));
    expect((await generate()).headers.get('retry-after')).toBe('60');
    expect(model.requests).toHaveLength(1);
  });

  test.each([
    [401, /WAYPOST_AI_KEY/],
    [403, /WAYPOST_AI_KEY/],
    [404, /WAYPOST_AI_MODEL \(baker-7b\)/],
    [500, /returned HTTP 500/],
    [503, /returned HTTP 503/],
    [400, /returned HTTP 400/],
  ])('returns %s, reports it without leaking its response', async (status, message) => {
    model.setBehaviour(fail(status));
    const response = await generate();
    expect(response).toMatchObject(unavailable(message));
    expect(JSON.stringify(response.body)).not.toMatch(/secret of the operator|sk-of/);
  });

  test.each([
    ['with a refusal message', refuse('I cannot help with that.')],
    ['with its content filter', streamText('Fresh', 'content_filter')],
    ['with the refusal word', streamText('CANNOT_WRITE')],
  ])('refuses the topic %s, returns CONTENT_REFUSED', async (_, behaviour) => {
    model.setBehaviour(behaviour);
    expect(await generate()).toMatchObject({ code: 400, body: { status: 'USER_ERROR', errorCode: 'CONTENT_REFUSED' } });
  });

  test.each([
    ['an empty body', respondWith('')],
    ['an empty text', streamText('')],
    ['an HTML page', respondWith('<html><body>Welcome</body></html>', 'text/html')],
    ['events that are not JSON', respondWith('data: {"choices": [}\n\ndata: [DONE]\n\n')],
    ['JSON of another schema', respondWith('data: {"result":"Fresh bread"}\n\ndata: [DONE]\n\n')],
    ['an error in the stream', respondWith('data: {"error":{"message":"overloaded"}}\n\n')],
    ['punctuation only', streamText('!!! ---')],
    ['the prompt', streamText('<data>{"topic":"Rye bread"}</data>')],
    ['an incomplete response', disconnectMidStream],
  ])('sends %s, reports it', async (_, behaviour) => {
    model.setBehaviour(behaviour);
    expect(await generate()).toMatchObject(unavailable(/^The model server .+ Try again later\.$/));
  });

  test.each([
    ['events', endlessEvents],
    ['one line', endlessStream('x'.repeat(65_536))],
    ['reasoning', endlessStream('data: {"choices":[{"index":0,"delta":{"reasoning_content":"Hm. "}}]}\n\n')],
  ])('sends endless %s, closes the connection', async (_, behaviour) => {
    model.setBehaviour(behaviour);
    expect(await generate()).toMatchObject(unavailable(/too long/));
    await expect.poll(() => model.cancelled).toBe(1);
  });

  test.each([
    ['does not respond', hang],
    ['stops sending', stallMidStream],
  ])('%s, closes the connection after the timeout', async (_, behaviour) => {
    model.setBehaviour(behaviour);
    const response = await generate({ directories: ['GOOGLE', 'FACEBOOK'] }, shortTimeoutApi);
    expect(response).toMatchObject(unavailable(/did not finish in time/));
    await expect.poll(() => model.cancelled).toBe(model.requests.length);
  });

  test('fails for one text, aborts the others', async () => {
    let requestCount = 0;
    model.setBehaviour((response, request) =>
      requestCount++ === 0 ? fail(503)(response, request) : hang(response, request),
    );
    expect(await generate({ variants: 3 })).toMatchObject(unavailable(/returned HTTP 503/));
    await expect.poll(() => model.cancelled).toBe(2);
  });

  test('is unreachable, reports it', async () => {
    const stopped = await ModelServer.start();
    const { url } = stopped;
    await stopped.close();
    const unreachableApi = await TestApi.start({ WAYPOST_AI_URL: url, WAYPOST_AI_MODEL: 'x' }, api.database);
    try {
      expect(await generate({}, unreachableApi)).toMatchObject(unavailable(/cannot be reached/));
    } finally {
      await unreachableApi.server.close();
    }
  });
});

test('writes nothing to the console', async () => {
  const written = vi.spyOn(console, 'error');
  model.setBehaviour(fail(503));
  await generate();
  expect(written).not.toHaveBeenCalled();
  written.mockRestore();
});

test('aborts when the client disconnects', async () => {
  model.setBehaviour(hang);
  const client = new AbortController();
  const request = fetch(`http://127.0.0.1:${api.port}/api/social-ai/generate-content`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', privateKey: partner.privateKey, connection: 'close' },
    body: JSON.stringify({ topic: 'Rye bread', directories: ['GOOGLE'] }),
    signal: client.signal,
  });
  await expect.poll(() => model.requests.length).toBe(1);
  client.abort();
  await expect(request).rejects.toThrow();
  await expect.poll(() => model.cancelled).toBe(1);
});
