import type { RequestListener, ServerResponse } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  delivery,
  eventually,
  httpReceiver,
  rawReceiver,
  senderFor,
  tcpReceiver,
} from '../../../test/support/loopback-receivers.ts';
import { issueToken, tokenServer } from '../../../test/support/token-server.ts';
import type { OAuthCredentials } from '../signing/webhook-credentials.ts';
import { explainOutcome, type Outcome } from './outcome.ts';

const timeoutMs = 1_000;

const credentials = (tokenUrl: string, more: Partial<OAuthCredentials> = {}): OAuthCredentials => ({
  tokenUrl,
  clientId: 'waypost',
  clientSecret: 'a secret',
  authMethod: 'client_secret_basic',
  ...more,
});

/** A receiver that records the Authorization headers. */
async function receiver(respond: RequestListener = (_request, response) => response.end()) {
  const seen: (string | undefined)[] = [];
  const { url } = await httpReceiver((request, response) => {
    seen.push(request.headers.authorization);
    respond(request, response);
  });
  return { url, seen };
}

function expectTokenFailure(outcome: Outcome, detail: RegExp) {
  expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'token', detail: expect.stringMatching(detail) });
  expect(outcome).toMatchObject({
    detail: expect.stringMatching(/^No access token from the token server 127\.0\.0\.1:/),
  });
  expect(JSON.stringify(outcome)).not.toMatch(/receiver|a secret/);
  expect(Object.keys(outcome.phases).sort()).toEqual(['tokenMs', 'totalMs']);
  expect(explainOutcome(outcome)?.hint).toContain('token URL');
}

test('requests one token for concurrent deliveries and uses it until it expires', async () => {
  const tokens = await tokenServer();
  const { url, seen } = await receiver();
  const sender = senderFor();
  const oauth = credentials(tokens.url, { scope: 'events.write', audience: 'https://api.example' });
  const outcomes = await Promise.all([1, 2, 3].map(() => sender.send({ ...delivery(url), oauth })));
  expect(outcomes).toMatchObject(Array(3).fill({ kind: 'delivered', phases: { tokenMs: expect.any(Number) } }));
  expect((await sender.send({ ...delivery(url), oauth })).phases).not.toHaveProperty('tokenMs');
  expect(seen).toEqual(Array(4).fill('Bearer t1'));
  expect(tokens.requests).toMatchObject([
    {
      headers: {
        authorization: `Basic ${btoa('waypost:a+secret')}`,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      form: { grant_type: 'client_credentials', scope: 'events.write', audience: 'https://api.example' },
    },
  ]);
  const { now } = performance;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 3_571_000);
  onTestFinished(() => clock.mockRestore());
  await sender.send({ ...delivery(url), oauth });
  expect(seen.at(-1)).toBe('Bearer t2');
});

test('sends the secret in the form with client_secret_post', async () => {
  const tokens = await tokenServer();
  const { url } = await receiver();
  await senderFor().send({ ...delivery(url), oauth: credentials(tokens.url, { authMethod: 'client_secret_post' }) });
  const form = { grant_type: 'client_credentials', client_id: 'waypost', client_secret: 'a secret' };
  expect(tokens.requests).toMatchObject([{ form }]);
  expect(tokens.requests[0]?.headers).not.toHaveProperty('authorization');
});

test('does not share a token with a client that has another secret, scope or token URL', async () => {
  const tokens = await tokenServer();
  const { url, seen } = await receiver();
  const sender = senderFor();
  const clients = [
    credentials(tokens.url),
    credentials(tokens.url, { clientSecret: 'guessed' }),
    credentials(tokens.url, { scope: 'a' }),
    credentials(`${tokens.url}?tenant=2`),
  ];
  for (const oauth of clients) await sender.send({ ...delivery(url), oauth });
  expect(seen).toEqual(['Bearer t1', 'Bearer t2', 'Bearer t3', 'Bearer t4']);
});

test('renews a token once for all deliveries that the receiver rejects with 401', async () => {
  const tokens = await tokenServer();
  const { url, seen } = await receiver((request, response) => {
    if (request.headers.authorization === 'Bearer t1' && seen.length > 1) response.statusCode = 401;
    response.end();
  });
  const sender = senderFor();
  const oauth = credentials(tokens.url);
  await sender.send({ ...delivery(url), oauth });
  const outcomes = await Promise.all([1, 2, 3, 4].map(() => sender.send({ ...delivery(url), oauth })));
  expect(outcomes).toMatchObject(Array(4).fill({ kind: 'delivered' }));
  expect(tokens.requests).toHaveLength(2);
  expect(seen.toSorted()).toEqual([...Array(5).fill('Bearer t1'), ...Array(4).fill('Bearer t2')]);
});

test('does not send again after a 401 in the second half of the time limit', async () => {
  const { now } = performance;
  let passedMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + passedMs);
  onTestFinished(() => clock.mockRestore());
  const tokens = await tokenServer();
  const { url, seen } = await receiver((_request, response) => {
    if (seen.length === 2) {
      passedMs = 31_000;
      response.statusCode = 401;
    }
    response.end();
  });
  const sender = senderFor({ timeoutMs: 60_000 });
  const send = () => sender.send({ ...delivery(url), oauth: credentials(tokens.url) });
  expect(await send()).toMatchObject({ kind: 'delivered' });
  expect(await send()).toMatchObject({ kind: 'refused', response: { status: 401 } });
  expect(seen).toEqual(['Bearer t1', 'Bearer t1']);
  expect(await send()).toMatchObject({ kind: 'delivered' });
  expect(seen.at(-1)).toBe('Bearer t2');
});

test('reports a 401 to a new token, and requests another token for the next delivery', async () => {
  const tokens = await tokenServer();
  const { url, seen } = await receiver((_request, response) => response.writeHead(401).end());
  const sender = senderFor();
  for (const token of ['t1', 't2']) {
    const outcome = await sender.send({ ...delivery(url), oauth: credentials(tokens.url) });
    expect(outcome).toMatchObject({ kind: 'refused', response: { status: 401 } });
    expect(seen.at(-1)).toBe(`Bearer ${token}`);
  }
  expect(seen).toHaveLength(2);
});

test.for([
  ['no expires_in', { expires_in: undefined }],
  ['expires_in as text', { expires_in: '60' }],
  ['a huge expires_in', { expires_in: 1e300 }],
  ['a lower-case token type', { token_type: 'bearer' }],
] as const)('accepts a token with %s', async ([, fields]) => {
  const tokens = await tokenServer((response, token) => issueToken(response, token, fields));
  const { url, seen } = await receiver();
  const sender = senderFor();
  for (let i = 0; i < 2; i++) await sender.send({ ...delivery(url), oauth: credentials(tokens.url) });
  expect(seen).toEqual(['Bearer t1', 'Bearer t1']);
});

test.for([
  ['no JSON', '<html>Sign in</html>', /not a JSON object/],
  ['JSON without an object', '"token"', /not a JSON object/],
  ['an empty body', '', /not a JSON object/],
  ['another token type', '{"access_token":"t","token_type":"mac"}', /token_type is not Bearer/],
  ['no token type', '{"access_token":"t"}', /token_type is not Bearer/],
  ['no token', '{"token_type":"Bearer"}', /access_token is not a text/],
  ['an empty token', '{"access_token":"","token_type":"Bearer"}', /access_token is not a text/],
  ['a line break in the token', '{"access_token":"t\\r\\nx-a: b","token_type":"Bearer"}', /access_token is not a text/],
  ['a space in the token', '{"access_token":"t u","token_type":"Bearer"}', /access_token is not a text/],
  ['a token that is not ASCII', '{"access_token":"tö","token_type":"Bearer"}', /access_token is not a text/],
  [
    'a token of 10,000 characters',
    JSON.stringify({ access_token: 't'.repeat(10_000), token_type: 'Bearer' }),
    /access_token is not a text of 1 to 8000/,
  ],
  ['a token of 10 MB', JSON.stringify({ access_token: 't'.repeat(1e7), token_type: 'Bearer' }), /longer than 16 KiB/],
  ['a negative lifetime', '{"access_token":"t","token_type":"Bearer","expires_in":-1}', /expires_in/],
  ['a lifetime of zero', '{"access_token":"t","token_type":"Bearer","expires_in":0}', /expires_in/],
  ['a lifetime that is none', '{"access_token":"t","token_type":"Bearer","expires_in":"soon"}', /expires_in/],
  ['deeply nested JSON', '['.repeat(16_000), /not a JSON object/],
] as const)('rejects %s and does not send the delivery', async ([, body, detail]) => {
  const tokens = await tokenServer((response) => response.end(body));
  const { url, seen } = await receiver();
  expectTokenFailure(await senderFor().send({ ...delivery(url), oauth: credentials(tokens.url) }), detail);
  expect(seen).toEqual([]);
});

test.for([
  [
    400,
    '{"error":"invalid_client","error_description":"a secret"}',
    /responded with 400 Bad Request \(invalid_client\)\.$/,
  ],
  [401, '{"error":"<b>\\r\\n"}', /responded with 401 Unauthorized\.$/],
  [500, 'Oops', /responded with 500 Internal Server Error\.$/],
  [410, '', /responded with 410 Gone\.$/],
] as const)('reports the status %i of the token server', async ([status, body, detail]) => {
  const tokens = await tokenServer((response) => response.writeHead(status).end(body));
  const { url, seen } = await receiver();
  expectTokenFailure(await senderFor().send({ ...delivery(url), oauth: credentials(tokens.url) }), detail);
  expect(seen).toEqual([]);
});

test('does not follow a redirect of the token server', async () => {
  const elsewhere = await tokenServer();
  const tokens = await tokenServer((response) => response.writeHead(307, { location: elsewhere.url }).end());
  const { url } = await receiver();
  const outcome = await senderFor().send({ ...delivery(url), oauth: credentials(tokens.url) });
  expectTokenFailure(outcome, /responded with 307, and redirects are not followed/);
  expect(elsewhere.requests).toEqual([]);
});

test('a hanging token server delays only the deliveries that need it', async () => {
  const tokens = await tcpReceiver((socket) => socket.resume());
  const { url, seen } = await receiver();
  const sender = senderFor({ timeoutMs, connectionsPerHost: 1 });
  const waiting = Array.from({ length: 50 }, () => sender.send({ ...delivery(url), oauth: credentials(tokens.url) }));
  expect(await sender.send(delivery(url))).toMatchObject({ kind: 'delivered' });
  for (const outcome of await Promise.all(waiting)) {
    expectTokenFailure(outcome, /No response within 1 s/);
  }
  expect(tokens.connections()).toBe(1);
  expect(seen).toEqual([undefined]);
  await eventually(() => tokens.sockets.size).toBe(0);
});

test('a token request does not wait for those of another partner', async () => {
  const held: ServerResponse[] = [];
  const tokens = await tokenServer((response) => (held.length === 0 ? held.push(response) : issueToken(response, 't')));
  const { url } = await receiver();
  const sender = senderFor({ connectionsPerHost: 1 });
  const slow = sender.send({ ...delivery(url), oauth: credentials(tokens.url), owner: 1 });
  await eventually(() => held).toHaveLength(1);
  const other = { ...credentials(tokens.url), clientId: 'other' };
  expect(await sender.send({ ...delivery(url), oauth: other, owner: 2 })).toMatchObject({ kind: 'delivered' });
  for (const response of held) issueToken(response, 't');
  expect(await slow).toMatchObject({ kind: 'delivered' });
});

test('a token request does not wait for a receiver of the same origin', async () => {
  let held: ServerResponse | undefined;
  const { url, seen } = await receiver((request, response) => {
    if (request.url === '/slow') held = response;
    else if (request.url === '/token') issueToken(response, 't1');
    else response.end();
  });
  const sender = senderFor({ connectionsPerHost: 1 });
  const slow = sender.send(delivery(new URL('/slow', url).href));
  await eventually(() => held).toBeDefined();
  const outcome = sender.send({ ...delivery(url), oauth: credentials(new URL('/token', url).href) });
  await eventually(() => seen).toHaveLength(2);
  held?.end();
  expect(await slow).toMatchObject({ kind: 'delivered' });
  expect(await outcome).toMatchObject({ kind: 'delivered' });
});

test('ends an endless response of the token server', async () => {
  let written = 0;
  const tokens = await tokenServer((response) => {
    const chunk = Buffer.alloc(64 * 1024, '1');
    const pour = () => {
      do written += chunk.length;
      while (response.write(chunk));
    };
    response.on('drain', pour);
    pour();
  });
  const { url } = await receiver();
  const outcome = await senderFor().send({ ...delivery(url), oauth: credentials(tokens.url) });
  expectTokenFailure(outcome, /longer than 16 KiB/);
  await eventually(() => tokens.sockets.size).toBe(0);
  expect(written).toBeLessThan(64 * 1024 * 1024);
});

test.for([
  ['another protocol', '220 mail.example.com ESMTP\r\n', /not valid HTTP/],
  ['endless headers', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(5000)}`, /longer than 16 KiB/],
] as const)('names the token server for %s', async ([, response, detail]) => {
  const tokens = await rawReceiver(response);
  const { url } = await receiver();
  expectTokenFailure(await senderFor().send({ ...delivery(url), oauth: credentials(tokens.url) }), detail);
});

test('names the token server if it refuses or closes the connection', async () => {
  const { url } = await receiver();
  const sender = senderFor();
  const closing = await tcpReceiver((socket) => socket.on('data', () => socket.destroy()));
  const closed = await sender.send({ ...delivery(url), oauth: credentials(closing.url) });
  expectTokenFailure(closed, /The token server closed the connection without a response/);
  const refused = await sender.send({ ...delivery(url), oauth: credentials('http://127.0.0.1:1/token') });
  expectTokenFailure(refused, /The token server refused the connection/);
});

test('the address guard applies to the token server', async () => {
  const tokens = await tokenServer();
  const { url } = await receiver();
  const sender = senderFor({ policy: { allow: ['127.0.0.1/32'], requireHttps: true } });
  const blocked = tokens.url.replace('127.0.0.1', '127.0.0.2');
  const outcome = await sender.send({ ...delivery(url), oauth: credentials(blocked) });
  expect(outcome).toMatchObject({
    reason: 'token',
    detail: expect.stringMatching(/127\.0\.0\.2 is a loopback address/),
  });
  expect(tokens.requests).toEqual([]);
});
