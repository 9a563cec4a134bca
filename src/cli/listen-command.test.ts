import { once } from 'node:events';
import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { signedBody, signedHeaders } from '../../receiver/independent-delivery.ts';
import { TestApi, type TestPartner } from '../../test/support/api.ts';
import { runCli, startCli } from '../../test/support/cli.ts';
import { freePort } from '../../test/support/free-port.ts';
import { auditDisabled } from '../events/alerts/review-alerts.ts';
import { eventTypeNames, exampleEvent } from '../events/catalogue/catalogue.ts';
import { DeliveryWorker } from '../events/delivery/worker.ts';
import { DeliveryMetrics } from '../telemetry/metrics.ts';

let api: TestApi;
let worker: DeliveryWorker;
let partner: TestPartner;
let credentials: { WAYPOST_URL: string; WAYPOST_PRIVATE_KEY: string };

beforeAll(async () => {
  api = await TestApi.start({
    WAYPOST_RETRY_SCHEDULE: Array.from({ length: 12 }, () => '20ms').join(),
    WAYPOST_BREAKER_THRESHOLD: '1000',
  });
  const metrics = new DeliveryMetrics(new Registry());
  worker = new DeliveryWorker({ ...api.services, metrics, userAgent: 'Waypost/test', auditDisabled });
  worker.start();
});
afterAll(async () => {
  await worker.stop();
  await api.close();
});
beforeEach(async () => {
  partner = await api.addPartner();
  credentials = { WAYPOST_URL: `http://127.0.0.1:${api.port}`, WAYPOST_PRIVATE_KEY: partner.privateKey };
});

const emit = async (type: string, count = 1): Promise<number[]> =>
  (await partner.call('POST', `/api/event-types/${type}/emit`, { count })).body.response.eventIds;

const webhooks = async (): Promise<{ id: number; type: string; pushUrl: string; enabled: boolean }[]> =>
  (await partner.call('GET', '/api/sales-partners/webhooks')).body.response;

async function waiting(): Promise<number> {
  const { rows } = await api.database.pool.query(
    'select count(*) from delivery_queue join webhooks on webhooks.id = webhook_id where partner_id = $1',
    [partner.partner.id],
  );
  return rows[0].count;
}

async function startListening(...args: string[]) {
  const listening = startCli(['listen', '--port', '0', ...args], credentials);
  const url = await listening.waitForOutput(/Listening on (\S+)/);
  await listening.waitForOutput(/^(Webhooks at|No webhook)/m);
  return { ...listening, url };
}

const arrivals = ({ lines }: { lines(): string[] }) => lines().map((line) => JSON.parse(line));

const eventually = <T>(look: () => T) => expect.poll(look, { interval: 20 });

test('receives and verifies all 18 types; Ctrl-C deletes the webhooks and prints a summary', async () => {
  const listening = await startListening('--all', '--json');
  expect((await webhooks()).map(({ type }) => type)).toEqual(eventTypeNames);
  const ids = (await Promise.all(eventTypeNames.map((type) => emit(type)))).flat();
  await eventually(() => listening.lines().length).toBe(18);
  const came = arrivals(listening);
  expect(new Set(came.map(({ event }) => event.type))).toEqual(new Set(eventTypeNames));
  expect(new Set(came.map(({ event }) => event.id))).toEqual(new Set(ids));
  for (const arrival of came) {
    expect(arrival).toMatchObject({ verified: true, verifiedBy: ['private key', 'secret'], status: 204 });
    expect(arrival.ageMs).toBeGreaterThanOrEqual(0);
  }
  const { code, stderr } = await listening.interrupt();
  expect(code).toBe(0);
  expect(stderr).toContain('18 deliveries received: 18 verified.');
  expect(await webhooks()).toEqual([]);
});

test('prints one line per event without colours in a pipe, for the chosen types only', async () => {
  const listening = await startListening('--types', 'location-status-changed,BUSINESS_CREATED');
  expect((await webhooks()).map(({ type }) => type)).toEqual(['LOCATION_STATUS_CHANGED', 'BUSINESS_CREATED']);
  const [id] = await emit('LOCATION_STATUS_CHANGED');
  await eventually(() => listening.lines().length).toBe(1);
  expect(listening.lines()[0]).toMatch(
    new RegExp(
      `^\\d\\d:\\d\\d:\\d\\d\\.\\d{3} ✔ LOCATION_STATUS_CHANGED ${id} comment="Cancelled at the end of the lease" ` +
        'location=60233 ACTIVE→CANCELLED user=emma.clarke@harbourandvine.example \\d+ ms$',
    ),
  );
  await listening.interrupt();
});

test('creates webhooks with a filter, which the server checks', async () => {
  const filter = '{"field": "to", "equals": "CLOSED"}';
  const listening = await startListening('--type', 'LOCATION_STATUS_CHANGED', '--filter', filter, '--json', '--keep');
  await partner.call('POST', '/api/event-types/LOCATION_STATUS_CHANGED/emit', {});
  const fields = { from: 'ACTIVE', to: 'CLOSED' };
  const { body } = await partner.call('POST', '/api/event-types/LOCATION_STATUS_CHANGED/emit', { fields });
  await eventually(() => listening.lines().length).toBe(1);
  expect(arrivals(listening)).toMatchObject([{ event: { id: body.response.eventIds[0], to: 'CLOSED' } }]);
  await listening.interrupt();

  const run = (...args: string[]) => runCli(['listen', '--type', 'LOCATION_STATUS_CHANGED', ...args], credentials);
  const port = new URL(listening.url).port;
  const stderr = expect.stringMatching(/Webhook \d+ already sends LOCATION_STATUS_CHANGED .* with an?.* filter/);
  for (const args of [['--filter', '{"field": "to", "equals": "ACTIVE"}'], []])
    expect(await run('--port', port, ...args)).toMatchObject({ code: 1, stderr });
  expect(await run('--port', '0', '--filter', '{"field": "size", "equals": 1}')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('filter.field must be'),
  });
});

test('reuses, enables and keeps existing webhooks', async () => {
  const first = await startListening('--types', 'LOCATION_CREATED', '--keep');
  expect(await first.interrupt()).toMatchObject({ code: 0 });
  const [kept] = await webhooks();
  await partner.call('PATCH', `/api/sales-partners/webhooks/${kept?.id}`, { enabled: false });

  const port = new URL(first.url).port;
  const again = await startListening('--types', 'LOCATION_CREATED,BUSINESS_CREATED', '--json', '--port', port);
  await again.waitForOutput(/1 created, 1 existing/);
  expect(await webhooks()).toMatchObject([{ id: kept?.id, enabled: true }, { type: 'BUSINESS_CREATED' }]);
  await emit('LOCATION_CREATED');
  await eventually(() => again.lines().length).toBe(1);
  expect(arrivals(again)).toMatchObject([{ verified: true, verifiedBy: ['private key'] }]);
  await again.interrupt();
  expect((await webhooks()).map(({ id }) => id)).toEqual([kept?.id]);
});

test('deletes the webhooks when its output is closed', async () => {
  const listening = await startListening('--types', 'LOCATION_CREATED');
  listening.child.stdout.destroy();
  await emit('LOCATION_CREATED');
  expect(await listening.ended).toMatchObject({ code: 0 });
  expect(await webhooks()).toEqual([]);
});

describe('unverified deliveries are printed and rejected with 401', () => {
  const event = { ...exampleEvent('LOCATION_CREATED'), comment: 'Filiale in Köln' };

  async function deliver(url: string, body: string, headers: Record<string, string> = {}) {
    const response = await fetch(url, { method: 'POST', body, headers });
    return { status: response.status, text: await response.text() };
  }

  test('with any wrong part', async () => {
    const listening = await startListening('--types', 'LOCATION_CREATED');
    const own = signedBody(partner.privateKey, event);
    const foreignSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    expect(await deliver(listening.url, 'hello')).toMatchObject({
      status: 401,
      text: expect.stringContaining('not JSON'),
    });
    expect(await deliver(listening.url, signedBody('another key', event))).toMatchObject({ status: 401 });
    expect(await deliver(listening.url, own.replace('Köln', 'Bonn'))).toMatchObject({ status: 401 });
    expect(await deliver(listening.url, own)).toMatchObject({
      status: 401,
      text: expect.stringContaining('webhook-id'),
    });
    expect(await deliver(listening.url, own, signedHeaders([foreignSecret], own))).toMatchObject({ status: 401 });
    await eventually(() => listening.lines().length).toBe(5);
    for (const line of listening.lines()) expect(line).toMatch(/^\S+ ✘ not verified \S/);
    expect((await listening.interrupt()).stderr).toContain('5 deliveries received: 0 verified, 5 not verified.');
  });

  test('verifies with the private key if it created no webhook', async () => {
    const listening = await startListening();
    expect(await deliver(listening.url, signedBody(partner.privateKey, event))).toMatchObject({ status: 204 });
    expect(await deliver(listening.url, signedBody('another key', event))).toMatchObject({ status: 401 });
    expect(await webhooks()).toEqual([]);
    expect((await fetch(listening.url)).status).toBe(405);
    expect((await listening.interrupt()).stderr).toContain('2 deliveries received: 1 verified, 1 not verified.');
  });
});

describe('forwarding', () => {
  interface Passed {
    headers: IncomingHttpHeaders;
    body: string;
  }

  const hits = new Map<string, number>();

  async function application(respond: (passed: Passed, response: http.ServerResponse) => void): Promise<string> {
    const server = http.createServer(async (request, response) => {
      hits.set(url(), (hits.get(url()) ?? 0) + 1);
      respond({ headers: request.headers, body: String(Buffer.concat(await request.toArray())) }, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    return url();
  }

  test('forwards the exact request and returns the response', async () => {
    const passed: Passed[] = [];
    const url = await application((delivery, response) => {
      passed.push(delivery);
      response.writeHead(passed.length === 1 ? 503 : 202, { 'retry-after': '0' }).end('so it is');
    });
    const listening = await startListening(
      ...['--types', 'LISTING_LINK_CHANGE', '--forward', url, '--retries', '0', '--json'],
    );
    const [id] = await emit('LISTING_LINK_CHANGE');
    await eventually(waiting).toBe(0);
    expect(arrivals(listening).map(({ status }) => status)).toEqual([503, 202]);
    for (const { headers, body } of passed) {
      const { event } = JSON.parse(body);
      expect(event.id).toBe(id);
      expect(body).toBe(signedBody(partner.privateKey, event));
      expect(Object.keys(headers).sort()).toEqual(
        'connection content-length content-type host user-agent webhook-id webhook-signature webhook-timestamp'.split(
          ' ',
        ),
      );
      expect(headers).toMatchObject({ 'user-agent': 'Waypost/test', 'webhook-id': String(id) });
    }
    const { rows } = await api.database.pool.query(
      'select status_code as status, response_body as body from attempts where event_id = $1 order by number',
      [id],
    );
    expect(rows.map(({ status, body }) => [status, String(body)])).toEqual([
      [503, 'so it is'],
      [202, 'so it is'],
    ]);
    await listening.interrupt();
  });

  test('repeats a failed delivery, prints what changed and returns the last response', async () => {
    const responses: [number, string][] = [
      [500, 'Error: no table\n  at save\n  at main'],
      [503, 'Error: locked\n  at save\n  at main'],
      [200, 'saved'],
    ];
    const url = await application((_, response) => {
      const [status, text] = responses.shift() ?? [418, ''];
      // A header that cannot be returned unchanged.
      response.writeHead(status, { 'content-type': 'text/plain; x=ä' }).end(text);
    });
    const withSecret = url.replace('//', '//user:hush@');
    const listening = await startListening('--type', 'LISTING_LINK_CHANGE', '--forward-to', `${withSecret}?key=hush`);
    const [id] = await emit('LISTING_LINK_CHANGE');
    await listening.waitForOutput(/delivered\./);
    const shown = listening.lines().map((line) => line.replaceAll(/\b\d+ ms|^\S+:\S+/g, '*'));
    expect(shown).toEqual([
      expect.stringMatching(new RegExp(`^\\* ✔ LISTING_LINK_CHANGE ${id} .* \\* → 500 Internal Server Error in \\*$`)),
      '    HTTP 500 Internal Server Error, text/plain; x=?',
      '    Error: no table',
      '      at save',
      '      at main',
      '    Next: attempt 2 of 4 in 0.5 s.',
      `* ↻ LISTING_LINK_CHANGE ${id} attempt 2: was 500, now 503 Service Unavailable in *`,
      '    - Error: no table',
      '    + Error: locked',
      '    Next: attempt 3 of 4 in 1 s.',
      `* ↻ LISTING_LINK_CHANGE ${id} attempt 3: was 503, now 200 OK in *`,
      '    - Error: locked',
      '    -   at save',
      '    -   at main',
      '    + saved',
      '    Waypost gets 200: delivered.',
    ]);
    await eventually(waiting).toBe(0);
    const { rows } = await api.database.pool.query(
      'select status_code as status, response_body as body from attempts where event_id = $1',
      [id],
    );
    expect(rows.map(({ status, body }) => [status, String(body)])).toEqual([[200, 'saved']]);
    const { code, stdout, stderr } = await listening.interrupt();
    expect(code).toBe(0);
    expect(stderr).toContain(`Forwarding to ${url}.`);
    expect(stdout + stderr).not.toContain('hush');
  });

  test('Ctrl-C ends the retries; --json lists the attempts', async () => {
    const url = await application((_, response) => response.writeHead(500).end());
    const listening = await startListening('--forward-to', url, '--retries', '10', '--json');
    const body = signedBody(partner.privateKey, exampleEvent('LOCATION_CREATED'));
    const response = fetch(listening.url, { method: 'POST', body });
    await eventually(() => hits.get(url) ?? 0).toBeGreaterThan(1);
    expect(await listening.interrupt()).toMatchObject({ code: 0 });
    expect((await response).status).toBe(500);
    const [arrival] = arrivals(listening);
    expect(arrival).toMatchObject({ status: 500, remark: `from ${url}` });
    expect(arrival.attempts.slice(0, 2)).toEqual([
      { status: 500, tookMs: expect.any(Number) },
      { status: 500, tookMs: expect.any(Number) },
    ]);
    expect(arrival.attempts.length).toBeLessThan(11);
  });

  test('does not repeat 410, which disables the webhook', async () => {
    const url = await application((_, response) => response.writeHead(410).end());
    const listening = await startListening('--type', 'LOCATION_CREATED', '--forward-to', url);
    await emit('LOCATION_CREATED');
    await listening.waitForOutput(/→ 410 Gone in \d+ ms\n.*\n.*empty response.*\n.*Waypost gets 410 and disables/);
    expect(hits.get(url)).toBe(1);
    await listening.interrupt();
  });

  test('returns 502 if the target is unavailable, and does not forward unverified deliveries', async () => {
    const listening = await startListening('--forward', 'http://127.0.0.1:9/', '--retries', '1');
    const body = signedBody(partner.privateKey, exampleEvent('LOCATION_CREATED'));
    expect((await fetch(listening.url, { method: 'POST', body })).status).toBe(502);
    expect((await fetch(listening.url, { method: 'POST', body: '{}' })).status).toBe(401);
    await listening.waitForOutput(/502 http:\/\/127\.0\.0\.1:9\/ is unavailable \(ECONNREFUSED\)/);
    await listening.waitForOutput(
      /Next: attempt 2 of 2 in 0\.5 s\.\n.*was 502, now 502 .*\n.*Waypost gets 502 and retries/,
    );
    await listening.interrupt();
  });
});

describe('a failing receiver', () => {
  test('fails some deliveries, which are retried', async () => {
    const listening = await startListening('--types', 'LOCATION_CREATED', '--fail-rate', '0.3', '--json');
    const ids = await emit('LOCATION_CREATED', 30);
    await eventually(waiting).toBe(0);
    const came = arrivals(listening);
    const accepted = came.filter(({ status }) => status === 204).map(({ event }) => event.id);
    expect(accepted.toSorted((a, b) => a - b)).toEqual(ids);
    const failed = came.filter(({ status }) => status === 500);
    expect(failed.length).toBeGreaterThan(0);
    expect(failed[0]).toMatchObject({ verified: true, remark: 'on purpose' });
    const { stderr } = await listening.interrupt();
    expect(stderr).toContain(`${came.length} verified, ${failed.length} of them failed.`);
  });

  test('always returns the given status', async () => {
    const listening = await startListening('--types', 'LOCATION_CREATED', '--status', '410');
    await emit('LOCATION_CREATED');
    await listening.waitForOutput(/✔ LOCATION_CREATED .* 410 on purpose/);
    await eventually(async () => (await webhooks())[0]?.enabled).toBe(false);
    await listening.interrupt();
  });
});

describe('errors leave no webhooks behind', () => {
  test('an unavailable server', async () => {
    const env = { ...credentials, WAYPOST_URL: 'http://127.0.0.1:2' };
    const { code, stderr } = await runCli(['listen', '--all', '--port', '0'], env);
    expect(code).toBe(1);
    expect(stderr).toContain('No server is running at http://127.0.0.1:2.');
  });

  test('a server that rejects loopback targets', async () => {
    const strict = await TestApi.start({ WAYPOST_ALLOW_TARGETS: 'none' }, api.database);
    onTestFinished(() => strict.server.close());
    const env = { ...credentials, WAYPOST_URL: `http://127.0.0.1:${strict.port}` };
    const { code, stderr } = await runCli(['listen', '--all', '--port', '0'], env);
    expect(code).toBe(1);
    expect(stderr).toContain('WAYPOST_ALLOW_TARGETS');
    expect(await webhooks()).toEqual([]);
  });

  test('a port in use', async () => {
    const { code, stderr } = await runCli(['listen', '--all', '--port', String(api.port)], credentials);
    expect(code).toBe(1);
    expect(stderr).toContain(`Cannot listen on port ${api.port} (EADDRINUSE). Set another port with --port`);
  });
});

test('refuses to forward deliveries to itself', async () => {
  const port = await freePort();
  const args = ['listen', '--all', '--port', `${port}`, '--forward-to', `http://localhost:${port}/hook`];
  expect(await runCli(args, credentials)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--forward-to is the URL of this receiver.'),
  });
  expect(await webhooks()).toEqual([]);
});

test.each([
  [['--types', 'LOCATION'], 'Did you mean LOCATION_CREATED or'],
  [['--types', ','], '--types is empty'],
  [['--types', 'LOCATION_CREATED', '--all'], '--types cannot be combined with --all'],
  [['--port', '70000'], '--port is "70000": set it to a whole number from 0 to 65535.'],
  [['--fail-rate', '30%'], '--fail-rate is "30%": set it to a number from 0 to 1'],
  [['--status', '99'], '--status is "99": set it to a whole number from 200 to 599.'],
  [
    ['--forward', 'localhost:3000'],
    '--forward is "localhost:3000": set it to a URL that starts with http:// or https://.',
  ],
  [['--retries', '2'], '--retries needs --forward-to.'],
  [['--forward-to', 'http://x', '--retries', '11'], '--retries is "11": set it to a whole number from 0 to 10.'],
  [['--filter', '{}'], '--filter needs --all or --type.'],
  [['--all', '--filter', '[1'], '--filter must be a JSON object'],
  [['LOCATION_CREATED'], '"LOCATION_CREATED" is an unexpected argument.'],
])('rejects %j', async (args, sentence) => {
  const { code, stderr } = await runCli(['listen', ...args], credentials);
  expect(code).toBe(2);
  expect(stderr).toContain(sentence);
});
