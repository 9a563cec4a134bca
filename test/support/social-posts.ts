import { expect } from 'vitest';
import { changeListing, ensureListings } from '../../src/modules/listings/listing-store.ts';
import type { TestPartner } from './api.ts';
import { addLocation } from './places.ts';
import { SandboxScene, sceneParts } from './sandbox-scene.ts';

// Tests look into answers of every shape.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Answer = any;

/** A location with pages in the sandbox, by directory. */
export interface PostedPlace {
  locationId: number;
  businessId: number;
  pages: Record<string, string>;
}

/** An API, a database and a sandbox network for posts. */
export class SocialScene extends SandboxScene {
  #places = 0;

  static async open(): Promise<SocialScene> {
    return new SocialScene(await sceneParts());
  }

  /** A location with a page on each of the directories; `connected` unless it is said otherwise. */
  async addPlace(
    partner: TestPartner,
    {
      directories = ['GOOGLE', 'FACEBOOK'],
      connected = true,
      ...location
    }: { directories?: string[]; connected?: boolean; businessId?: number; labels?: unknown[] } = {},
  ): Promise<PostedPlace> {
    const name = `Bakery ${++this.#places}`;
    const { id: locationId, businessId } = await addLocation(partner, {
      name,
      streetNo: `${this.#places}`,
      ...location,
    });
    const { database } = this.api;
    const pages: Record<string, string> = {};
    const listings = await database.transaction((transaction) =>
      ensureListings(transaction, partner.partner.id, locationId, directories),
    );
    for (const { id, directoryType } of listings) {
      const page = await this.sandbox.control.addListing(directoryType, { name, city: 'Köln' });
      pages[directoryType] = page.id;
      await changeListing(database.pool, id, {
        externalId: page.id,
        url: page.url ?? null,
        connectStatus: connected ? 'CONNECTED' : 'NOT_CONNECTED',
      });
    }
    return { locationId, businessId, pages };
  }

  /** Does every job that is due; `early`: those as well whose time has not come. */
  async create(by: { call: TestPartner['call'] }, post: object): Promise<Answer> {
    const { body } = await by.call('POST', '/api/social-posts', post);
    expect(body).toMatchObject({ status: 'SUCCESS' });
    return body.response;
  }

  async read(by: { call: TestPartner['call'] }, id: number): Promise<Answer> {
    return (await by.call('GET', `/api/social-posts/${id}`)).body.response;
  }

  async publications(by: { call: TestPartner['call'] }, id: number): Promise<Answer[]> {
    return (await by.call('GET', `/api/social-posts/${id}/publications`)).body.response.publications;
  }

  /** What a page shows. */
  async shown(directory: string, page: string | undefined): Promise<Answer[]> {
    return (await this.sandbox.control.posts(directory, page ?? '')).posts;
  }

  /** As if time had passed for a post: its dates are so many seconds earlier. */
  async advanceClock(id: number, seconds: number): Promise<void> {
    await this.api.database.pool.query(
      `update social_posts set publication_date = publication_date - make_interval(secs => $2),
         date_start = date_start - make_interval(secs => $2), date_end = date_end - make_interval(secs => $2)
       where id = $1`,
      [id, seconds],
    );
  }
}
