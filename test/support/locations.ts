import { expect } from 'vitest';
import { systemActor } from '../../src/modules/accounts/actor.ts';
import { categoryId } from '../../src/modules/catalog/categories/category.ts';
import { markSynced } from '../../src/modules/locations/location-figures.ts';
import type { TestApi, TestPartner } from './api.ts';

export const bakery = categoryId('shop/bakery');

// Tests read responses of any shape.
// biome-ignore lint/suspicious/noExplicitAny: see above
type ApiResponse = any;

/** Creates a business with the API. */
export async function addBusiness(partner: TestPartner, overrides: object = {}): Promise<ApiResponse> {
  const { code, body } = await partner.call('POST', '/api/businesses', { name: 'Bäckerei Lindner', ...overrides });
  expect(body, 'the business was created').toMatchObject({ status: 'SUCCESS' });
  expect(code).toBe(200);
  return body.response;
}

/** All fields that are required to create and sync a location. */
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

/** Creates a location with the API, by default with a new business. */
export async function addLocation(
  partner: TestPartner,
  overrides: { businessId?: number; [field: string]: unknown } = {},
): Promise<ApiResponse> {
  const businessId = overrides.businessId ?? (await addBusiness(partner)).id;
  const { code, body } = await partner.call('POST', '/api/locations', { ...exampleLocation, ...overrides, businessId });
  expect(body, 'the location was created').toMatchObject({ status: 'SUCCESS' });
  expect(code).toBe(200);
  return body.response;
}

/** Sets the status ACTIVE, like the first sync. */
export async function activate(api: TestApi, { partner }: TestPartner, locationId: number): Promise<void> {
  await api.database.transaction((transaction) => markSynced(transaction, systemActor(partner), locationId));
}
