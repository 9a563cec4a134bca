import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { ListingProfile } from '../../src/modules/directories/connector.ts';
import { listingProfileOf } from '../../src/modules/locations/listing-profile.ts';
import { findLocation } from '../../src/modules/locations/location-store.ts';
import type { TestPartner } from './api.ts';
import { addBusiness, addLocation } from './locations.ts';
import { SandboxScene, startSceneServices } from './sandbox-scene.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
type ApiResponse = any;

/** API, database and sandbox shared by the tests of a file; each test has its own partner and locations. */
export class ListingScene extends SandboxScene {
  #locations = 0;

  static async open(options?: { panel: boolean }): Promise<ListingScene> {
    return new ListingScene(await startSceneServices(options));
  }

  /** A business whose plan has exactly these directories. */
  async addBusiness(partner: TestPartner, directoryTypes: string[]): Promise<number> {
    const { rows } = await this.query(
      `insert into product_plans (partner_id, name, price, currency, status, directory_types)
       values ($1, 'Plan', 1000, 'EUR', 'ACTIVE', $2) returning id`,
      [partner.partner.id, directoryTypes],
    );
    const { id } = await addBusiness(partner);
    await this.query('update businesses set product_plan_id = $2 where id = $1', [id, rows[0].id]);
    return id;
  }

  /** A location with unique name, address and phone, on these directories. */
  async addLocation(partner: TestPartner, directoryTypes: string[], overrides: object = {}): Promise<ApiResponse> {
    const businessId = await this.addBusiness(partner, directoryTypes);
    const number = ++this.#locations;
    const word = (2 ** 20 + number * 7919).toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'.charAt(Number(digit)));
    const location = await addLocation(partner, {
      businessId,
      name: `${word} ${word.split('').toReversed().join('')}`,
      street: `${word}gasse`,
      streetNo: String(number),
      phone: `+4922195${String(24300 + number).padStart(5, '0')}`,
      website: `https://${word}.example/`,
      openingHours: [{ dayOfWeek: 1, from1: '08:00', to1: '18:00' }],
      descriptionLong: `Everything about ${word}.`,
      ...overrides,
    });
    // Runs cleansing, which may change the address.
    await this.runJobs();
    return location;
  }

  async profileOf(partner: TestPartner, locationId: number): Promise<ListingProfile> {
    const location = await findLocation(this.api.database.pool, partner.partner.id, locationId);
    if (!location) throw new Error(`Location ${locationId} does not exist.`);
    return listingProfileOf(location);
  }

  /** Adds a listing at the directory with the location's profile and these changes. */
  async addDirectoryListing(
    partner: TestPartner,
    locationId: number,
    directory: string,
    {
      claim,
      ...changes
    }: {
      claim?: 'CLAIMABLE' | 'CLAIMING_IN_PROGRESS' | 'CLAIMED_BY_US' | 'CLAIMED_BY_OTHERS';
    } & Partial<ListingProfile> = {},
  ): Promise<string> {
    const profile = { ...(await this.profileOf(partner, locationId)), ...changes };
    const { id } = await this.control.addListing(directory, profile, { claim: claim ?? 'CLAIMABLE' });
    return id;
  }

  async sync(partner: TestPartner, locationId: number, body: object = {}): Promise<ApiResponse> {
    const response = await partner.call('POST', `/api/locations/${locationId}/sync`, body);
    expect(response.body, 'the sync was started').toMatchObject({ status: 'SUCCESS' });
    await this.runJobs();
    return response.body.response;
  }

  /** The original listing of a location on a directory. */
  async listing(partner: TestPartner, locationId: number, type: string): Promise<ApiResponse> {
    const path = `/api/locations/${locationId}/listings?duplicates=false&max=100`;
    const { body } = await partner.call('GET', path);
    return body.response.listings.find((listing: ApiResponse) => listing.type === type);
  }

  /** Events of a type, oldest first. */
  async events(partner: TestPartner, type: string, listingId?: number): Promise<ApiResponse[]> {
    const { rows } = await this.query(
      'select body::json as event from events where partner_id = $1 and type = $2 order by id',
      [partner.partner.id, type],
    );
    const events: ApiResponse[] = rows.map(({ event }) => event);
    return listingId === undefined ? events : events.filter(({ listing }) => listing === listingId);
  }

  /** updateResult of the LISTING_UPDATE events of a listing, oldest first. */
  async updateResults(partner: TestPartner, listingId: number): Promise<string[]> {
    return (await this.events(partner, 'LISTING_UPDATE', listingId)).map(({ updateResult }) => updateResult);
  }

  /** Listings at the directory with the location's name. */
  async directoryListings(partner: TestPartner, locationId: number, directory: string) {
    const { name } = await this.profileOf(partner, locationId);
    return (await this.control.listings({ directory, text: name })).listings;
  }
}

/** Opens a scene for the tests of a file and adds a partner before each test. */
export function setUpListingScene(prepare: (scene: ListingScene, partner: TestPartner) => unknown): void {
  let scene: ListingScene;
  beforeAll(async () => {
    scene = await ListingScene.open();
  });
  afterAll(() => scene.close());
  beforeEach(async () => {
    await prepare(scene, await scene.api.addPartner());
  });
}
