import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { TestApi, type TestPartner } from '../../test/support/api.ts';
import { runCli, temporaryFolder } from '../../test/support/cli.ts';
import { eventTypeNames, eventTypes } from '../events/catalogue/catalogue.ts';

let api: TestApi;
let partner: TestPartner;
let credentials: { WAYPOST_URL: string; WAYPOST_PRIVATE_KEY: string };

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
  credentials = { WAYPOST_URL: `http://127.0.0.1:${api.port}`, WAYPOST_PRIVATE_KEY: partner.privateKey };
});
afterAll(() => api.close());

async function recorded(
  stdout: string,
): Promise<{ id: number; type: string; partner: number; [field: string]: unknown }[]> {
  const ids = stdout.split('\n').map((line) => Number(line.split(' ')[0]));
  const { rows } = await api.database.pool.query<{ body: string; partner_id: number }>(
    'select body, partner_id from events where id = any ($1) order by id',
    [ids],
  );
  return rows.map(({ body, partner_id }) => ({ ...JSON.parse(body), partner: partner_id }));
}

const countEvents = async (): Promise<number> =>
  (await api.database.pool.query('select count(*) from events')).rows[0].count;

/** Another server, or a proxy in front of Waypost. */
async function otherServer(listener: http.RequestListener): Promise<string> {
  const server = http.createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function closedPort(): Promise<string> {
  const server = http.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

test('records an example and prints its id and type', async () => {
  const { code, stdout, stderr } = await runCli(['emit', 'LOCATION_CREATED'], credentials);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^\d+ LOCATION_CREATED\n$/);
  const example = eventTypes.LOCATION_CREATED.example;
  expect(await recorded(stdout)).toMatchObject([{ ...example, type: 'LOCATION_CREATED', partner: partner.partner.id }]);
});

test('--all records one of each type', async () => {
  const { code, stdout } = await runCli(['emit', '--all'], credentials);
  expect(code).toBe(0);
  expect((await recorded(stdout)).map(({ type }) => type)).toEqual(eventTypeNames);
});

test('--count can exceed the limit of one request', async () => {
  const { stdout } = await runCli(['emit', 'business-created', '--count', '1200'], credentials);
  expect(await recorded(stdout)).toHaveLength(1200);
});

test('parses fields by their type: text, numbers, lists, null and absent', async () => {
  const emit = async (type: string, ...fields: string[]) => {
    const { stdout, stderr } = await runCli(
      ['emit', type, ...fields.flatMap((field) => ['--field', field])],
      credentials,
    );
    expect(stderr).toBe('');
    return (await recorded(stdout))[0];
  };
  expect(await emit('LOCATION_STATUS_CHANGED', 'comment=42', 'location=42', 'to=CLOSED', 'user=')).toEqual({
    ...{ comment: '42', location: 42, from: 'ACTIVE', to: 'CLOSED' },
    ...{ id: expect.any(Number), time: expect.any(String), type: 'LOCATION_STATUS_CHANGED' },
    ...{ salesPartnerIdentifier: partner.partner.identifier, partner: partner.partner.id },
  });
  expect(
    await emit('LISTING_UPDATE', 'updateResult=SUCCESS', 'updateStatus=null', 'messages=["a, b","c=d"]'),
  ).toMatchObject({ updateResult: 'SUCCESS', updateStatus: null, messages: ['a, b', 'c=d'] });
  expect(await emit('LOCATION_DATA_SUGGESTION', 'suggestionIds=7,8', 'fields=phone,website')).toMatchObject({
    suggestionIds: [7, 8],
    fields: ['phone', 'website'],
  });
});

test('--list prints every type with its summary', async () => {
  const { code, stdout } = await runCli(['emit', '--list']);
  expect(code).toBe(0);
  for (const type of eventTypeNames) expect(stdout).toMatch(new RegExp(`^${type} +${eventTypes[type].summary}$`, 'm'));
});

describe('exits with code 2 for invalid arguments', () => {
  test.each([
    ['no type', [], 'The event type is missing.'],
    ['a word of several types', ['LOCATION_CHANGED'], 'mean LOCATION_STATUS_CHANGED or LOCATION_PROFILE_CHANGED?'],
    ['a typing mistake', ['LOCATOIN_CREATED'], 'Did you mean LOCATION_CREATED?'],
    ['nothing like a type', ['weather'], '"waypost emit --list" prints all types.'],
    ['two types', ['LOCATION_CREATED', 'BUSINESS_CREATED'], '"BUSINESS_CREATED" is an unexpected argument.'],
    ['a type and all', ['LOCATION_CREATED', '--all'], 'LOCATION_CREATED cannot be combined with --all'],
    ['fields for all', ['--all', '--field', 'location=7'], '--field cannot be combined with --all'],
    ['a field without value', ['LOCATION_CREATED', '--field', 'location'], 'write it as NAME=VALUE'],
    ['a count of zero', ['LOCATION_CREATED', '--count', '0'], '--count is "0": set it to a whole number from 1'],
    [
      'an unknown option',
      ['LOCATION_CREATED', '--fields', 'a=b'],
      'There is no option --fields. Did you mean --field?',
    ],
    ['an option without value', ['LOCATION_CREATED', '--count'], "Option '--count <value>' argument missing."],
    ['a value with a hyphen', ['LOCATION_CREATED', '--key', '-abc'], 'starts with a hyphen: --key=VALUE.'],
    ['an invalid URL', ['LOCATION_CREATED', '--url', 'localhost'], 'a URL that starts with http://'],
    ['no key', ['LOCATION_CREATED'], 'Set --key or WAYPOST_PRIVATE_KEY'],
  ])('%s', async (_, args, sentence) => {
    const { code, stdout, stderr } = await runCli(['emit', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr).toContain('"waypost emit --help"');
  });
});

describe('exits with code 1 and the message of the server', () => {
  test('an invalid field', async () => {
    const before = await countEvents();
    const { code, stderr } = await runCli(['emit', 'LOCATION_CREATED', '--field', 'source=FAX'], credentials);
    expect(code).toBe(1);
    expect(stderr).toContain('source must be one of API, CHECKOUT');
    expect(await countEvents()).toBe(before);
  });

  test('an invalid key, with its source', async () => {
    const env = { ...credentials, WAYPOST_PRIVATE_KEY: 'old-key' };
    const { code, stderr } = await runCli(['emit', 'LOCATION_CREATED'], env);
    expect(code).toBe(1);
    expect(stderr).toContain('The private key is invalid');
    expect(stderr).toContain('The key was read from WAYPOST_PRIVATE_KEY.');
    expect(stderr).not.toContain('old-key');
  });
});

describe('the server', () => {
  test('that is not running', async () => {
    const closed = await closedPort();
    const { code, stderr } = await runCli(['emit', 'LOCATION_CREATED', '--url', closed, '--key', 'k']);
    expect(code).toBe(1);
    expect(stderr).toContain(`No server is running at ${closed}. Start Waypost with "npm start"`);
  });

  test('that is not Waypost', async () => {
    const url = await otherServer((_request, response) => response.end('<html>'));
    const { code, stderr } = await runCli(['emit', 'LOCATION_CREATED', '--url', url, '--key', 'k']);
    expect(code).toBe(1);
    expect(stderr).toContain(`The server at ${url} is not Waypost`);
  });

  test('that closes the connection may use HTTPS', async () => {
    const url = await otherServer((request) => request.socket.destroy());
    const { code, stderr } = await runCli(['emit', 'LOCATION_CREATED', '--url', url, '--key', 'k']);
    expect(code).toBe(1);
    expect(stderr).toContain('start the URL with https://');
  });

  test('cannot redirect the private key to another server', async () => {
    const asked: unknown[] = [];
    const elsewhere = await otherServer((request, response) => {
      asked.push(request.headers);
      response.end();
    });
    const url = await otherServer((_request, response) => response.writeHead(307, { location: elsewhere }).end());
    expect(await runCli(['emit', 'LOCATION_CREATED', '--url', url, '--key', 'k'])).toMatchObject({ code: 1 });
    expect(asked).toEqual([]);
  });

  test('whose response is lost records the event once', async () => {
    let lost = 0;
    const url = await otherServer(async (request, response) => {
      const { privatekey = '', 'idempotency-key': once = '' } = request.headers;
      const headers = { privateKey: String(privatekey), 'idempotency-key': String(once) };
      const body = JSON.parse(String(Buffer.concat(await request.toArray())));
      const apiResponse = await api.call('POST', request.url ?? '', body, headers);
      if (lost++ === 0) return response.destroy();
      response.writeHead(apiResponse.code).end(JSON.stringify(apiResponse.body));
    });
    const before = await countEvents();
    const { code, stdout } = await runCli(['emit', 'LOCATION_CREATED'], { ...credentials, WAYPOST_URL: url });
    expect({ code, lost }).toEqual({ code: 0, lost: 2 });
    expect(await recorded(stdout)).toHaveLength(1);
    expect(await countEvents()).toBe(before + 1);
  });
});

describe('credentials of a demo installation', () => {
  function demoFolder(): string {
    const folder = temporaryFolder();
    const demo = { baseUrl: `http://127.0.0.1:${api.port}`, privateKey: partner.privateKey };
    writeFileSync(join(folder, 'demo.json'), JSON.stringify(demo));
    return folder;
  }

  test('are used by default', async () => {
    const env = { WAYPOST_DATA_DIR: demoFolder() };
    expect(await runCli(['emit', 'LOCATION_CREATED'], env)).toMatchObject({ code: 0, stderr: '' });
    const url = `http://localhost:${api.port}/`;
    expect(await runCli(['emit', 'LOCATION_CREATED', '--url', url], env)).toMatchObject({ code: 0, stderr: '' });
  });

  test('are overridden by options and variables', async () => {
    const other = await api.addPartner();
    const env = { WAYPOST_DATA_DIR: demoFolder(), WAYPOST_PRIVATE_KEY: 'not this one' };
    const said = await runCli(['emit', 'LOCATION_CREATED', '--key', other.privateKey], env);
    expect(said).toMatchObject({ code: 0, stderr: '' });
    expect(await recorded(said.stdout)).toMatchObject([{ partner: other.partner.id }]);
  });

  test('are not sent to another machine', async () => {
    const env = { WAYPOST_DATA_DIR: demoFolder() };
    const { code, stderr } = await runCli(['emit', 'LOCATION_CREATED', '--url', 'http://waypost.test'], env);
    expect(code).toBe(2);
    expect(stderr).toContain('No private key for http://waypost.test.');
  });

  test('that cannot be read are reported', async () => {
    const folder = demoFolder();
    writeFileSync(join(folder, 'demo.json'), '{');
    const { code, stderr } = await runCli(['emit', 'LOCATION_CREATED'], { WAYPOST_DATA_DIR: folder });
    expect(code).toBe(1);
    expect(stderr).toContain(`${join(folder, 'demo.json')} cannot be read`);
  });
});
