import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addUser } from '../../../../test/support/users.ts';
import { type AuditEntry, recordAudit, recordAudits } from '../../../http/audit-trail.ts';
import { systemActor } from '../actor.ts';

const path = '/api/audit-trail';
let api: TestApi;
let partner: TestPartner;
let stranger: TestPartner;

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
  stranger = await api.addPartner();
  const anna = { partner: partner.partner, by: 'anna@example.com' };
  await record(anna, { action: 'CREATED', subject: 'LOCATION', subjectId: 7, details: { name: 'Café Ω' } });
  await record(systemActor(partner.partner), { action: 'UPDATED', subject: 'LOCATION', subjectId: 8 });
  await record(anna, [
    { action: 'UPDATED', subject: 'BUSINESS', subjectId: 7 },
    { action: 'DELETED', subject: 'LOCATION', subjectId: 7 },
  ]);
  await record(anna, { action: 'IMPORTED', subject: 'LOCATION', details: { rows: 3 } });
  await record(systemActor(stranger.partner), { action: 'CREATED', subject: 'LOCATION', subjectId: 7 });
});
afterAll(() => api.close());

const record = (actor: Parameters<typeof recordAudits>[1], entries: AuditEntry | AuditEntry[]) =>
  api.database.transaction((transaction) => recordAudits(transaction, actor, [entries].flat()));

const actions = async (query: string) => {
  const { code, body } = await partner.call('GET', `${path}?${query}`);
  expect(code).toBe(200);
  return body.response.entries.map(({ action, subject }: AuditEntry) => `${action} ${subject}`);
};

const all = ['IMPORTED LOCATION', 'DELETED LOCATION', 'UPDATED BUSINESS', 'UPDATED LOCATION', 'CREATED LOCATION'];

test('lists the newest entry first and hides entries of other partners', async () => {
  expect(await actions('')).toEqual(all);
  const { body } = await partner.call('GET', path);
  expect(body.response).toMatchObject({ offset: 0, max: 50, count: 5, countIsExact: true });
  expect(body.response.entries.at(-1)).toEqual({
    id: expect.any(Number),
    happenedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    actor: 'anna@example.com',
    action: 'CREATED',
    subject: 'LOCATION',
    subjectId: 7,
    details: { name: 'Café Ω' },
  });
  expect(body.response.entries[0]).not.toHaveProperty('subjectId');
});

test('does not record a change that was rolled back', async () => {
  const attempt = api.database.transaction(async (transaction) => {
    await recordAudit(transaction, systemActor(partner.partner), 'CREATED', 'GHOST');
    throw new Error('no');
  });
  await expect(attempt).rejects.toThrow('no');
  expect(await actions('subject=GHOST')).toEqual([]);
});

describe('filters', () => {
  test.each([
    ['subject=BUSINESS', ['UPDATED BUSINESS']],
    ['subject=business', ['UPDATED BUSINESS']],
    ['subject=LOCATION&subjectId=7', ['DELETED LOCATION', 'CREATED LOCATION']],
    ['subjectId=7', ['DELETED LOCATION', 'UPDATED BUSINESS', 'CREATED LOCATION']],
    ['actor=SYSTEM', ['UPDATED LOCATION']],
    ['actor=anna@example.com&subjectId=7&subject=LOCATION', ['DELETED LOCATION', 'CREATED LOCATION']],
    ['actor=unknown', []],
    ['since=2100-01-01', []],
    ['until=2001-01-01', []],
    ['since=2001-01-01&until=2100-01-01T00:00:00Z', all],
  ])('%s', async (query, expected) => {
    expect(await actions(query)).toEqual(expected);
  });

  test('since and until are inclusive', async () => {
    const { body } = await partner.call('GET', `${path}?max=1&offset=1`);
    const { rows } = await api.database.pool.query<{ ms: number }>(
      'select ceil(extract(epoch from happened_at) * 1000)::bigint as ms from audit_trail where id = $1',
      [body.response.entries[0].id],
    );
    const ms = rows[0]?.ms as number;
    expect(await actions(`since=${ms - 1}&until=${ms}`)).toContain('DELETED LOCATION');
  });

  test.each(['since=yesterday', 'since=2026-01-02&until=2026-01-01', 'subjectId=0', 'max=0', 'offset=-1'])(
    '%s is refused',
    async (query) => {
      expect(await partner.call('GET', `${path}?${query}`)).toMatchObject({
        code: 400,
        body: { status: 'INVALID_PARAMETER' },
      });
    },
  );
});

test('pages through all entries', async () => {
  const seen: string[] = [];
  let after = '';
  for (let page = 0; page < 3; page++) {
    const { response } = (await partner.call('GET', `${path}?max=2${after}`)).body;
    seen.push(...response.entries.map(({ action, subject }: AuditEntry) => `${action} ${subject}`));
    after = `&after=${response.after}`;
    expect(response.count).toBe(5);
    if (page === 2) expect(response).not.toHaveProperty('after');
  }
  expect(seen).toEqual(all);
  expect(await actions('order=ASC')).toEqual(all.toReversed());
  expect(await actions('offset=3&max=1')).toEqual(['UPDATED LOCATION']);
});

test('rejects a cursor of another partner', async () => {
  const { body } = await stranger.call('GET', path);
  const response = await partner.call('GET', `${path}?after=${body.response.entries[0].id}`);
  expect(response).toMatchObject({ code: 400, body: { errors: [{ field: 'after' }] } });
});

test('requires the role ADMIN', async () => {
  const admin = await addUser(api, partner, { role: 'ADMIN' });
  const manager = await addUser(api, partner, { role: 'ACCOUNT_MANAGER' });
  expect(await admin.call('GET', path)).toMatchObject({ code: 200 });
  expect(await manager.call('GET', path)).toMatchObject({ code: 403, body: { status: 'FORBIDDEN' } });
});

test('records changes of webhooks and partners without keys and secrets', async () => {
  const owner = await api.addPartner();
  const hooks = '/api/sales-partners/webhooks';
  const pushUrl = 'http://127.0.0.1:9/audited';
  const created = await owner.call('POST', hooks, { pushUrl, type: 'LOCATION_CREATED' });
  const { id, secret } = created.body.response;
  await owner.call('PATCH', `${hooks}/${id}`, { enabled: false });
  const rotated = await owner.call('POST', `${hooks}/${id}/rotate-secret`, {});
  await owner.call('DELETE', `${hooks}/${id}`);
  await owner.call('PUT', `/api/sales-partners/${owner.partner.id}`, { name: 'Renamed' });
  const key = await owner.call('POST', `/api/sales-partners/${owner.partner.id}/rotate-private-key`, {});
  const { entries } = (await owner.call('GET', path)).body.response;
  expect(entries.map(({ action, subject }: AuditEntry) => `${action} ${subject}`)).toEqual([
    'KEY_ROTATED SALES_PARTNER',
    'UPDATED SALES_PARTNER',
    'DELETED WEBHOOK',
    'SECRET_ROTATED WEBHOOK',
    'UPDATED WEBHOOK',
    'CREATED WEBHOOK',
  ]);
  expect(entries.at(-1)).toMatchObject({ subjectId: id, details: { pushUrl, type: 'LOCATION_CREATED' } });
  for (const hidden of [secret, rotated.body.response.secret, key.body.response.privateKey]) {
    expect(JSON.stringify(entries)).not.toContain(hidden);
  }
});

test('records changes by a parent partner in its audit log and in that of the child partner', async () => {
  const parent = await api.addPartner();
  const child = await api.addPartner(parent);
  const hooks = '/api/sales-partners/webhooks';
  const { id: salesPartnerId } = child.partner;
  const webhook = { pushUrl: 'http://127.0.0.1:9/child', type: 'LOCATION_CREATED', salesPartnerId };
  const { id } = (await parent.call('POST', hooks, webhook)).body.response;
  await parent.call('PATCH', `${hooks}/${id}`, { description: 'ERP' });
  await parent.call('POST', `${hooks}/${id}/resume`, {});
  await parent.call('POST', `${hooks}/${id}/rotate-secret`, {});
  await parent.call('DELETE', `${hooks}/${id}`);
  await parent.call('PUT', `/api/sales-partners/${salesPartnerId}`, { name: 'Renamed' });
  await parent.call('POST', `/api/sales-partners/${salesPartnerId}/rotate-private-key`, {});
  await parent.call('POST', `/api/sales-partners/${salesPartnerId}/switch-private-key`, {});
  const entriesOf = async (query: string): Promise<AuditEntry[]> =>
    (await parent.call('GET', `${path}${query}`)).body.response.entries;
  const ofParent = await entriesOf('');
  expect(ofParent.map(({ action, subjectId }) => [action, subjectId])).toEqual([
    ['KEY_SWITCHED', salesPartnerId],
    ['KEY_ROTATED', salesPartnerId],
    ['UPDATED', salesPartnerId],
    ['DELETED', id],
    ['SECRET_ROTATED', id],
    ['RESUMED', id],
    ['UPDATED', id],
    ['CREATED', id],
  ]);
  const ofChild = await entriesOf(`?salesPartnerId=${salesPartnerId}`);
  expect(ofChild).toEqual(
    ofParent.map((entry) => ({
      ...entry,
      id: expect.any(Number),
      details: { ...entry.details, callerPartnerId: parent.partner.id },
    })),
  );
});
