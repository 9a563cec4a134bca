import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../test/support/api.ts';
import { addBusiness, exampleLocation } from '../../test/support/locations.ts';

let api: TestApi;
let partner: TestPartner;

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
  partner = await api.addPartner();
});
afterAll(() => api?.close());

const mostErrors = 100;

test.each([
  ['keywords', Array(100_000).fill(1)],
  ['openingHours', Array(100_000).fill(true)],
  ['categories', Array(100_000).fill('a')],
  ['services', Array(100_000).fill(7)],
  ['attributes', Array(20_000).fill({ key: 1, value: [] })],
])('reports few errors about 100,000 wrong entries of %s', async (field, entries) => {
  const { code, body } = await partner.call('POST', '/api/locations', { name: 'Shop', [field]: entries });
  expect(code).toBe(400);
  expect(body.errors.length).toBeLessThanOrEqual(mostErrors);
  expect(body.errors).toContainEqual(expect.objectContaining({ field: expect.stringContaining(field) }));
});

test('reports few errors about unknown references', async () => {
  const businessIds = Array.from({ length: 1000 }, (_, index) => 900_000 + index);
  const { code, body } = await partner.call('POST', '/api/store-finders', { name: 'Shops', businessIds });
  expect(code).toBe(400);
  expect(body.errors).toHaveLength(mostErrors);
  expect(body.message).not.toContain('900100');
});

test('names few of 60,000 unknown fields', async () => {
  const { id: businessId } = await addBusiness(partner);
  const unknown = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`unknown${index}`, 1]));
  const { code, body } = await partner.call('POST', '/api/locations', { ...exampleLocation, businessId, ...unknown });
  expect(code).toBe(200);
  expect(body.warnings).toHaveLength(1);
  expect(body.warnings[0].split(',').length).toBeLessThanOrEqual(mostErrors);
});
