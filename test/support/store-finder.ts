import { expect } from 'vitest';
import type { TestApi, TestPartner } from './api.ts';
import { activate, addLocation } from './locations.ts';

// biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
type ApiResponse = any;

export async function addFinder(partner: TestPartner, overrides: object = {}): Promise<ApiResponse> {
  const { code, body } = await partner.call('POST', '/api/store-finders', { name: 'Our shops', ...overrides });
  expect(body, 'the store finder was created').toMatchObject({ status: 'SUCCESS' });
  expect(code).toBe(200);
  return body.response;
}

type Overrides = Parameters<typeof addLocation>[1];

/** A location that is visible in finders. */
export async function addVisibleLocation(
  api: TestApi,
  partner: TestPartner,
  overrides: Overrides = {},
): Promise<ApiResponse> {
  const location = await addLocation(partner, overrides);
  await activate(api, partner, location.id);
  return location;
}

/** A visitor of a web page; `path` follows the finder's key. */
export function visitor(api: TestApi, { partner }: TestPartner, { storeKey }: { storeKey: string }) {
  return async (path: string, headers: Record<string, string> = {}): Promise<ApiResponse> =>
    api.call('GET', `/api/store-finders/${storeKey}${path}`, undefined, { publicKey: partner.publicKey, ...headers });
}

const everyDay = [1, 2, 3, 4, 5, 6, 7];
export const alwaysOpen = everyDay.map((dayOfWeek) => ({ dayOfWeek, from1: '00:00', to1: '24:00' }));
export const neverOpen = everyDay.map((dayOfWeek) => ({ dayOfWeek, closed: true }));
