import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anyCodePoint } from '../../test/support/any-code-point.ts';
import { TestApi, type TestPartner } from '../../test/support/api.ts';

let api: TestApi;
let partner: TestPartner;
let webhookId: number;

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '1000000' });
  partner = await api.addPartner();
  const webhook = { pushUrl: 'http://127.0.0.1:9/', type: 'LOCATION_CREATED' };
  webhookId = (await partner.call('POST', '/api/sales-partners/webhooks', webhook)).body.response.id;
});
afterAll(() => api.close());

const odd = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: anyCodePoint }),
  fc.constantFrom('', null, 0, -1, 1e300, 2 ** 53, 'http://127.0.0.1/', 'http://[::1]:99999/', 'LOCATION_CREATED'),
);
const fields = [
  ...['pushUrl', 'type', 'description', 'enabled', 'includeChildren', 'retrySchedule', 'salesPartnerId'],
  ...['name', 'identifier', 'apiVersion', 'overlapHours', 'constructor', '__proto__', 'toString'],
];
const body = fc.oneof(fc.dictionary(fc.oneof(fc.constantFrom(...fields), fc.string()), odd), odd);

const endpoints = [
  () => ['POST', '/api/sales-partners/webhooks'],
  () => ['PATCH', `/api/sales-partners/webhooks/${webhookId}`],
  () => ['POST', `/api/sales-partners/webhooks/${webhookId}/rotate-secret`],
  () => ['POST', '/api/sales-partners'],
  () => ['PUT', `/api/sales-partners/${partner.partner.id}`],
] satisfies (() => [string, string])[];

test('any body gets an envelope and never a 5xx response', async () => {
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom(...endpoints), async (given, endpoint) => {
      const [method, path] = endpoint();
      const response = await partner.call(method, path, JSON.stringify(given) ?? 'null');
      expect(response.body).toMatchObject({ status: expect.stringMatching(/^[A-Z_]+$/) });
      expect([200, 400, 404, 409]).toContain(response.code);
      expect(response.code === 200).toBe(response.body.status === 'SUCCESS');
    }),
    { numRuns: 400 },
  );
});

test('any path and query gets an envelope and never a 5xx response', async () => {
  const text = fc.oneof(
    fc.string({ unit: anyCodePoint }),
    fc.string(),
    fc.constantFrom('%00', '%', '..', '\0', '1;drop'),
  );
  await fc.assert(
    fc.asyncProperty(text, text, fc.boolean(), async (part, value, encoded) => {
      const write = (given: string) =>
        encoded ? encodeURIComponent(given.toWellFormed()) : encodeURI(given.toWellFormed());
      const path = `/api/sales-partners/${write(part)}?type=${write(value)}&max=${write(value)}&v=20260713`;
      const response = await partner.call('GET', path);
      expect(response.body).toMatchObject({ status: expect.any(String) });
      expect([200, 400, 404]).toContain(response.code);
    }),
    { numRuns: 200 },
  );
});
