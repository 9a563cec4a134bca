import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../sandbox.ts';

const key = 'a key of the test';
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ key });
});
afterAll(() => sandbox.close());

async function control(method: string, path: string, body?: object) {
  const response = await fetch(`${sandbox.url}/control/${path}`, {
    method,
    headers: { 'x-sandbox-key': key, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const setMode = (mode: string) => control('PUT', 'receiver/crm', { mode });
const deliver = (name = 'crm') =>
  fetch(`${sandbox.url}/demo-receiver/${name}`, { method: 'POST', body: '{"event":{}}' });

test('an endpoint accepts, fails, is slow or is down by mode, and counts requests', async () => {
  await setMode('accept');
  const accepted = await deliver();
  expect([accepted.status, await accepted.json()]).toEqual([
    200,
    { endpoint: 'crm', message: 'The demo receiver accepted the event.' },
  ]);
  await setMode('fail');
  expect((await deliver()).status).toBe(500);
  await setMode('down');
  await expect(deliver()).rejects.toThrow('fetch failed');
  await setMode('slow');
  const order: string[] = [];
  const slow = deliver().then(({ status }) => order.push(`slow ${status}`));
  await expect
    .poll(async () => (await control('GET', 'receiver')).body)
    .toMatchObject({ endpoints: [{ requests: 4 }] });
  await setMode('accept');
  await deliver().then(({ status }) => order.push(`quick ${status}`));
  await slow;
  expect(order).toEqual(['quick 200', 'slow 200']);
  expect((await control('GET', 'receiver')).body).toEqual({
    endpoints: [{ name: 'crm', mode: 'accept', requests: 5 }],
  });
});

test('a reset keeps the endpoints and their modes', async () => {
  await setMode('fail');
  expect((await control('POST', 'reset', {})).status).toBe(200);
  expect((await control('GET', 'receiver')).body).toMatchObject({ endpoints: [{ name: 'crm', mode: 'fail' }] });
  expect((await deliver()).status).toBe(500);
});

test('rejects an unknown mode and an unknown endpoint', async () => {
  expect(await setMode('explode')).toEqual({
    status: 400,
    body: { messages: ['mode must be one of accept, fail, slow, down.'] },
  });
  expect((await control('PUT', 'receiver/crm', {})).status).toBe(400);
  expect((await control('PUT', 'receiver/..%2Fgoogle', { mode: 'accept' })).status).toBe(400);
  expect((await deliver('unknown')).status).toBe(404);
});
