import { upsertSuggestion } from '../../src/modules/listings/suggestions/suggestion-store.ts';
import { TestApi, type TestPartner } from './api.ts';
import { activate, addLocation } from './locations.ts';

// Tests look into answers of every shape.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Answer = any;

/** A profile to which nothing can be added that the homepage would ask for. */
const complete = {
  website: 'https://lindner.example/',
  email: 'ehrenfeld@lindner.example',
  descriptionShort: 'Bread',
  descriptionLong: 'Bread and cake since 1921.',
  openingHours: [{ dayOfWeek: 1, from1: '08:00', to1: '18:00' }],
  photos: [{ url: 'https://lindner.example/shop.jpg' }],
  attributes: [{ key: 'wheelchair', value: true }],
  keywords: ['bread'],
  services: [{ title: 'Catering' }],
};

/** An API and a database with locations at which nothing is left to do, until a test makes it so. */
export class HomeScene {
  readonly api: TestApi;
  #names = 0;

  private constructor(api: TestApi) {
    this.api = api;
  }

  static async open(): Promise<HomeScene> {
    return new HomeScene(await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' }));
  }

  close(): Promise<void> {
    return this.api.close();
  }

  async query(text: string, values: unknown[] = []): Promise<Answer[]> {
    return (await this.api.database.pool.query(text, values)).rows;
  }

  /** Complete and synced, on no directory, without feedback. */
  async addLocation(
    partner: TestPartner,
    { isSynced = true, ...fields }: { isSynced?: boolean; businessId?: number; [field: string]: unknown } = {},
  ): Promise<{ id: number; businessId: number }> {
    const location = await addLocation(partner, { name: `Bakery ${++this.#names}`, ...complete, ...fields });
    if (isSynced) await activate(this.api, partner, location.id);
    return location;
  }

  async addListing(
    { partner }: TestPartner,
    locationId: number,
    directory: string,
    given: { connect?: string; page?: string | null; sync?: string; status?: string } = {},
  ): Promise<number> {
    const [row] = await this.query(
      `insert into listings (partner_id, location_id, directory_type, connect_status, external_id, sync_status, status)
       values ($1, $2, $3, $4, $5, $6, $7) returning id`,
      [
        partner.id,
        locationId,
        directory,
        given.connect ?? 'CONNECTED',
        // A page has one listing.
        given.page ? `${given.page}-${locationId}` : null,
        given.sync ?? 'NOT_FOUND',
        given.status ?? 'ACTIVE',
      ],
    );
    return row.id;
  }

  /** Something that a customer left, so many hours ago; on a listing that is made when it is missing. */
  async addDatapoint(
    partner: TestPartner,
    location: { id: number; businessId: number },
    given: {
      type?: string;
      directory?: string;
      rating?: number;
      read?: boolean;
      hoursAgo?: number;
      repliedAfterHours?: number;
      status?: string;
    } = {},
  ): Promise<number> {
    const directory = given.directory ?? 'GOOGLE';
    const [known] = await this.query(
      'select id from listings where location_id = $1 and directory_type = $2 and duplicate_of is null',
      [location.id, directory],
    );
    const listingId = known?.id ?? (await this.addListing(partner, location.id, directory));
    const left = new Date(Date.now() - (given.hoursAgo ?? 48) * 3_600_000);
    const { repliedAfterHours } = given;
    const answered = repliedAfterHours === undefined ? null : new Date(left.getTime() + repliedAfterHours * 3_600_000);
    const [row] = await this.query(
      `insert into datapoints (partner_id, business_id, location_id, listing_id, directory_type, external_id, type, rating,
         read, status, author, action_date, thread_action_date, owner_replied_at, fingerprint)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'Anna', $11, $11, $12, '') returning id`,
      [
        partner.partner.id,
        location.businessId,
        location.id,
        listingId,
        directory,
        `datapoint-${++this.#names}`,
        given.type ?? 'REVIEW',
        given.rating ?? null,
        given.read ?? true,
        given.status ?? 'VALID',
        left,
        answered,
      ],
    );
    return row.id;
  }

  /** A post that directories began to show so many days ago. */
  async publishPost(
    { partner }: TestPartner,
    locations: readonly { id: number; businessId: number }[],
    daysAgo: number,
  ): Promise<void> {
    const shown = new Date(Date.now() - daysAgo * 86_400_000);
    const [post] = await this.query(
      `insert into social_posts (partner_id, status, description, directories, location_ids, publication_date, created_by)
       values ($1, 'ACTIVE', 'Fresh bread', '{GOOGLE}', $2, $3, 'SYSTEM') returning id`,
      [partner.id, locations.map(({ id }) => id), shown],
    );
    for (const { id, businessId } of locations) {
      await this.query(
        `insert into social_post_publications (post_id, location_id, business_id, directory_type, status, wanted_revision,
           published_at) values ($1, $2, $3, 'GOOGLE', 'PUBLISHED', 1, $4)`,
        [post.id, id, businessId, shown],
      );
    }
  }

  async suggest({ partner }: TestPartner, locationId: number, directoryType = 'YELP'): Promise<number> {
    const id = await this.addListing({ partner } as TestPartner, locationId, directoryType, { connect: 'NOT_NEEDED' });
    const listing = { id, partnerId: partner.id, locationId, directoryType };
    const suggestion = { field: 'phone', currentValue: '+49 221 1', suggestedValue: '+49 221 2' };
    return upsertSuggestion(this.api.database.pool, listing, suggestion);
  }
}
