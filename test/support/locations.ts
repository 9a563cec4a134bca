import { expect } from 'vitest';
import { systemActor } from '../../src/modules/accounts/actor.ts';
import { categoryId } from '../../src/modules/catalog/categories/category.ts';
import { markSynced } from '../../src/modules/locations/location-figures.ts';
import type { TestApi, TestPartner } from './api.ts';

export const bakery = categoryId('shop/bakery');

// Tests look into answers of every shape.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Answer = any;

/** A business of the partner, through the API. */
export async function addBusiness(partner: TestPartner, overrides: object = {}): Promise<Answer> {
  const { code, body } = await partner.call('POST', '/api/businesses', { name: 'Bäckerei Lindner', ...overrides });
  expect(body, 'the business was created').toMatchObject({ status: 'SUCCESS' });
  expect(code).toBe(200);
  return body.response;
}

/** Everything that must be given, and what makes its REQUIRED level full and lets it be synced. */
export const exampleLocation = {
  name: 'Bäckerei Lindner Ehrenfeld',
  street: 'Venloer Straße',
  streetNo: '310',
  zip: '50823',
  city: 'Köln',
  country: 'DE',
  phone: '+49 221 9524300',
  lat: 50.9483,
  lng: 6.9192,
  categories: [bakery],
};

/** A location in Cologne through the API, with a business of its own unless one is given. */
export async function addLocation(
  partner: TestPartner,
  overrides: { businessId?: number; [field: string]: unknown } = {},
): Promise<Answer> {
  const businessId = overrides.businessId ?? (await addBusiness(partner)).id;
  const { code, body } = await partner.call('POST', '/api/locations', { ...exampleLocation, ...overrides, businessId });
  expect(body, 'the location was created').toMatchObject({ status: 'SUCCESS' });
  expect(code).toBe(200);
  return body.response;
}

/** As its first sync would leave it: ACTIVE. */
export async function activate(api: TestApi, { partner }: TestPartner, locationId: number): Promise<void> {
  await api.database.transaction((transaction) => markSynced(transaction, systemActor(partner), locationId));
}
