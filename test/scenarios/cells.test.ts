import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { claimCell } from '../../src/database/cell.ts';
import { TestApi, type TestPartner } from '../support/api.ts';
import { addAsset } from '../support/assets.ts';
import { runCli, startCli, temporaryFolder } from '../support/cli.ts';
import { createTestDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { hasLoadBalancer, startLoadBalancer } from '../support/load-balancer.ts';
import { bakery } from '../support/locations.ts';
import { runReadmeCommands } from '../support/readme-commands.ts';
import { addFinder } from '../support/store-finder.ts';
import { addUser } from '../support/users.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

// Two cells behind HAProxy with the configuration of deploy/cells/.
describe.skipIf(!hasLoadBalancer)('requests through one URL', () => {
  const cells: TestApi[] = [];
  const partners: TestPartner[] = [];
  const password = 'a long password';
  const emails = ['zero@example.com', 'one@example.com'];
  const emailMap = `${sha256('one@example.com')} 1\n`;
  const movedKey = randomBytes(32).toString('base64url');
  let balancer: Awaited<ReturnType<typeof startLoadBalancer>>;

  beforeAll(async () => {
    for (const cell of [0, 1]) {
      const database = await createTestDatabase();
      await claimCell(database, cell);
      const api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' }, database);
      cells.push(api);
      const partner = await api.addPartner();
      partners.push(partner);
      await addUser(api, partner, { role: 'ADMIN', email: emails[cell] ?? '', password });
    }
    const [zero, one] = cells as [TestApi, TestApi];
    // A key from the time before cells, of a partner that is on cell 1 now.
    await one.database.pool.query('insert into partner_keys (partner_id, hash, sealed) values ($1, $2, $2)', [
      partners[1]?.partner.id,
      Buffer.from(sha256(movedKey), 'hex'),
    ]);
    balancer = await startLoadBalancer({
      ports: [zero.port, one.port],
      emails: emailMap,
      credentials: `${sha256(movedKey)} 1\n`,
    });
  });
  afterAll(async () => {
    await balancer?.stop();
    for (const api of cells) await api.close();
  });

  // A busy machine can fail health checks; the load balancer then responds with 503 for a moment.
  const call = async (path: string, request: Parameters<typeof callOnce>[1] = {}) => {
    let response = await callOnce(path, request);
    while (response.code === 503) response = await callOnce(path, request);
    return response;
  };

  const callOnce = async (path: string, { body, ...init }: { body?: object; headers?: Record<string, string> }) => {
    const response = await fetch(balancer.baseUrl + path, {
      ...init,
      ...(body && {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...init.headers },
      }),
    });
    const text = await response.text();
    return { code: response.status, headers: response.headers, text };
  };

  /** The id of the signed-in user's partner, or of the partner of the key. */
  const partnerOf = async (headers: Record<string, string>, path = '/api/sales-partners') => {
    const { code, text } = await call(path, { headers });
    return code === 200 ? JSON.parse(text).response.salesPartners[0].id : code;
  };

  test.each([0, 1])('the keys of cell %i, in every header', async (cell) => {
    const { privateKey, partner } = partners[cell] as TestPartner;
    for (const name of ['privateKey', 'PRIVATEKEY', 'X-API-KEY']) {
      expect(await partnerOf({ [name]: privateKey })).toBe(partner.id);
    }
    expect(await partnerOf({ privateKey, accessToken: '', cookie: 'waypost-session=c0~stale' })).toBe(partner.id);
    expect(await partnerOf({ privateKey }, '/SalesPartners')).toBe(partner.id);
  });

  test('a key without a prefix, by its hash in the map', async () => {
    expect(await partnerOf({ privateKey: movedKey })).toBe(partners[1]?.partner.id);
  });

  test('"waypost partners emails" prints the map of a cell', async () => {
    const env = { DATABASE_URL: cells[1]?.database.url, WAYPOST_CELL: '1' };
    expect(await runCli(['partners', 'emails'], env)).toMatchObject({ code: 0, stdout: emailMap });
  });

  test.each([0, 1])('sign-in by e-mail address on cell %i, and the session', async (cell) => {
    const email = emails[cell]?.toUpperCase();
    const id = partners[cell]?.partner.id;
    // The cookie of another cell does not decide.
    const stale = { cookie: `waypost-session=c${1 - cell}~stale`, 'x-waypost-console': '1' };
    const signIn = (path: string, body: object) => call(path, { body: { email, password, ...body }, headers: stale });
    const { accessToken } = JSON.parse((await signIn('/users/login', {})).text).response;
    for (const headers of [{ accessToken }, { authorization: `Bearer ${accessToken}` }]) {
      expect(await partnerOf(headers)).toBe(id);
    }
    expect(await partnerOf({ authorization: `bearer ${accessToken}` })).toBe(id);
    const [cookie = ''] = (await signIn('/api/users/login', { session: 'cookie' })).headers.getSetCookie();
    expect(await partnerOf({ cookie: cookie.split(';')[0] ?? '' })).toBe(id);
  });

  test.each([0, 1])('sign-in with a private key on cell %i', async (cell) => {
    const { privateKey } = partners[cell] as TestPartner;
    const email = emails[cell];
    expect(await call('/api/users/login', { body: { email, privateKey } })).toMatchObject({ code: 200 });
    expect(await call('/api/users/login', { body: { email }, headers: { privateKey } })).toMatchObject({ code: 200 });
  });

  test.each([0, 1])('public keys, store finders, files and reports of cell %i', async (cell) => {
    const partner = partners[cell] as TestPartner;
    const { publicKey } = partner.partner;
    const { storeKey } = await addFinder(partner);
    for (const path of [
      `/api/store-finders/${storeKey}/settings`,
      `/storefinders/${storeKey.replace('~', '%7E')}/settings`,
    ]) {
      expect(await call(path)).toMatchObject({ code: 200 });
    }
    const { url, thumbnailUrl } = await addAsset(partner);
    for (const file of [url, thumbnailUrl]) expect(await call(new URL(file).pathname)).toMatchObject({ code: 200 });
    const business = { name: 'Bakery', streetAndNo: 'Street 1', zip: '50823', city: 'Köln', country: 'DE' };
    const body = { ...business, categoryId: bakery, phone: '+492219524300' };
    expect(await call('/api/near-me-check/categories', { headers: { publicKey } })).toMatchObject({ code: 200 });
    const created = await call(`/api/report?publicKey=${encodeURIComponent(publicKey)}`, { body });
    const { id, token } = JSON.parse(created.text).response;
    expect(await call(`/api/report/${id}?token=${token}`)).toMatchObject({ code: 200 });
  });

  test.each([0, 1])('public keys of a webhook of cell %i', async (cell) => {
    const webhook = { type: 'LOCATION_CREATED', pushUrl: 'https://crm.example/', asymmetricSignature: true };
    const { body } = await (partners[cell] as TestPartner).call('POST', '/api/sales-partners/webhooks', webhook);
    expect(await call(`/.well-known/webhook-keys/${body.response.id}`)).toMatchObject({ code: 200 });
  });

  test('other requests go to cell 0', async () => {
    expect(await call('/health/live')).toMatchObject({ code: 200 });
    expect(await call('/api/sales-partners')).toMatchObject({ code: 401 });
    for (const privateKey of ['c7~unknown', 'c1000~unknown', 'c~', '~', 'x'.repeat(2000)]) {
      expect(await partnerOf({ privateKey })).toBe(401);
    }
    const body = { email: 'unknown@example.com', password };
    expect(await call('/api/users/login', { body })).toMatchObject({ code: 401 });
  });
});

test.skipIf(!hasLoadBalancer)('the commands of the README work on both cells', { timeout: 900_000 }, async () => {
  const cells = [];
  for (const cell of [0, 1]) {
    const dataDir = temporaryFolder();
    const port = await freePort();
    const service = startCli(['start'], {
      PORT: String(port),
      WAYPOST_CELL: String(cell),
      WAYPOST_DATA_DIR: dataDir,
      WAYPOST_DEMO_LOCATIONS: '3',
    });
    await service.waitForOutput(/"service\.started"/);
    cells.push({ cell, dataDir, port, service });
  }
  const [zero, one] = cells.map(({ port }) => port) as [number, number];
  const { baseUrl, stop } = await startLoadBalancer({ ports: [zero, one] });
  onTestFinished(stop);
  for (const { cell, dataDir } of cells) {
    const { privateKey } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
    const get = async (path: string) => {
      const response = await fetch(baseUrl + path, { headers: { privateKey } });
      expect(response.status, path).toBe(200);
      return ((await response.json()) as { response: { state: string; locations: { id: number }[] } }).response;
    };
    await expect
      .poll(async () => (await get('/api/demo-data')).state, { timeout: 400_000, interval: 1000 })
      .toBe('COMPLETE');
    await runReadmeCommands({ baseUrl, dataDir, port: await freePort(), env: { WAYPOST_URL: baseUrl } });
    const { locations } = await get('/api/locations?max=100');
    // The demo locations and the one of the README.
    expect(locations).toHaveLength(4);
    expect(locations.filter(({ id }) => Math.floor(id / 2 ** 45) !== cell)).toEqual([]);
  }
  for (const { service } of cells) expect(await service.interrupt()).toMatchObject({ code: 0 });
});
