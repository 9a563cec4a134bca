import { expect } from 'vitest';
import type { TestApi, TestPartner } from '../support/api.ts';
import { addLocation } from '../support/places.ts';
import { visitor } from '../support/store-finder.ts';

// Tests look into answers of every shape.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Answer = any;
type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** A client of the day before an entry of the change record, and one of the day itself. Both get `response`. */
export interface Clients {
  api: TestApi;
  partner: TestPartner;
  dayBefore: string;
  day: string;
  before: Ask;
  on: Ask;
  /** Somebody on a web page that was written for a version. */
  visitor: (version: string, finder: { storeKey: string }) => (path: string) => Promise<Answer>;
}

/** What holds on the two days, by the day and what is said of it. */
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
    const answer = await call(method, path, body, { 'x-api-version': version });
    expect(answer.body, `${method} ${path} of ${version}`).toMatchObject({ status: 'SUCCESS' });
    return answer.body.response;
  };

export async function newPost(partner: TestPartner, overrides: object = {}): Promise<Answer> {
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
