import { expect } from 'vitest';
import type { TestApi, TestPartner } from '../support/api.ts';
import { addLocation } from '../support/locations.ts';
import { visitor } from '../support/store-finder.ts';

// Tests read responses of any shape.
// biome-ignore lint/suspicious/noExplicitAny: see above
type ApiResponse = any;
type Ask = (method: string, path: string, body?: unknown) => Promise<ApiResponse>;

/** Clients of the day before a version and of the version itself. Both return `response`. */
export interface Clients {
  api: TestApi;
  partner: TestPartner;
  dayBefore: string;
  day: string;
  before: Ask;
  on: Ask;
  /** A website visitor with a version. */
  visitor: (version: string, finder: { storeKey: string }) => (path: string) => Promise<ApiResponse>;
}

/** Checks of a version, by version and description. */
export type Rows = Record<string, (clients: Clients) => Promise<void>>;

export function clientsAround(day: string, api: TestApi, partner: TestPartner): Clients {
  const before = new Date(day.replace(/(....)(..)(..)/, '$1-$2-$3')).getTime() - 86_400_000;
  const dayBefore = new Date(before).toISOString().slice(0, 10).replaceAll('-', '');
  return {
    api,
    partner,
    dayBefore,
    day,
    before: clientOf(dayBefore, partner.call),
    on: clientOf(day, partner.call),
    visitor: (version, finder) => async (path) =>
      (await visitor(api, partner, finder)(path, { 'x-api-version': version })).body.response,
  };
}

export const clientOf =
  (version: string, call: TestPartner['call']): Ask =>
  async (method, path, body) => {
    const response = await call(method, path, body, { 'x-api-version': version });
    expect(response.body, `${method} ${path} of ${version}`).toMatchObject({ status: 'SUCCESS' });
    return response.body.response;
  };

export async function newPost(partner: TestPartner, overrides: object = {}): Promise<ApiResponse> {
  const { id } = await addLocation(partner);
  const post = {
    directories: ['GOOGLE', 'FACEBOOK'],
    description: 'Fresh rolls',
    locationIds: [id],
    publicationDate: '2031-05-01T09:00:00.000Z',
    ...overrides,
  };
  return (await partner.call('POST', '/api/social-posts', post)).body.response;
}
