import { expect } from 'vitest';
import { changeListing, ensureListings } from '../../src/modules/listings/listing-store.ts';
import type { TestPartner } from './api.ts';
import { addLocation } from './locations.ts';
import { SandboxScene, startSceneServices } from './sandbox-scene.ts';

// biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
type ApiResponse = any;

/** A location with sandbox listings by directory. */
export interface SocialLocation {
  locationId: number;
  businessId: number;
  pages: Record<string, string>;
}

export class SocialScene extends SandboxScene {
  #locationCount = 0;

  static async open(): Promise<SocialScene> {
    return new SocialScene(await startSceneServices());
  }

  /** A location with a listing on each directory, connected by default. */
  async addLinkedLocation(
    partner: TestPartner,
    {
      directories = ['GOOGLE', 'FACEBOOK'],
      connected = true,
      ...location
    }: { directories?: string[]; connected?: boolean; businessId?: number; labels?: unknown[] } = {},
  ): Promise<SocialLocation> {
    const name = `Bakery ${++this.#locationCount}`;
    const { id: locationId, businessId } = await addLocation(partner, {
      name,
      streetNo: `${this.#locationCount}`,
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

  async create(by: { call: TestPartner['call'] }, post: object): Promise<ApiResponse> {
    const { body } = await by.call('POST', '/api/social-posts', post);
    expect(body).toMatchObject({ status: 'SUCCESS' });
    return body.response;
  }

  async read(by: { call: TestPartner['call'] }, id: number): Promise<ApiResponse> {
    return (await by.call('GET', `/api/social-posts/${id}`)).body.response;
  }

  async publications(by: { call: TestPartner['call'] }, id: number): Promise<ApiResponse[]> {
    return (await by.call('GET', `/api/social-posts/${id}/publications`)).body.response.publications;
  }

  /** Posts on a sandbox listing. */
  async shown(directory: string, page: string | undefined): Promise<ApiResponse[]> {
    return (await this.sandbox.control.posts(directory, page ?? '')).posts;
  }

  /** Moves the dates of a post into the past by these seconds. */
  async advanceClock(id: number, seconds: number): Promise<void> {
    await this.api.database.pool.query(
      `update social_posts set publication_date = publication_date - make_interval(secs => $2),
         date_start = date_start - make_interval(secs => $2), date_end = date_end - make_interval(secs => $2)
       where id = $1`,
      [id, seconds],
    );
  }
}
