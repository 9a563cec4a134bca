import { upsertSuggestion } from '../../src/modules/listings/suggestions/suggestion-store.ts';
import { TestApi, type TestPartner } from './api.ts';
import { activate, addLocation } from './locations.ts';

// Tests read responses of any shape.
// biome-ignore lint/suspicious/noExplicitAny: see above
type ApiResponse = any;

/** A profile for which the homepage has no suggestions. */
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

/** API and database. Locations have no tasks or suggestions until a test changes them. */
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

  async query(text: string, values: unknown[] = []): Promise<ApiResponse[]> {
    return (await this.api.database.pool.query(text, values)).rows;
  }

  /** A complete, synced location without listings and feedback. */
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
    values: { connect?: string; page?: string | null; sync?: string; status?: string } = {},
  ): Promise<number> {
    const [row] = await this.query(
      `insert into listings (partner_id, location_id, directory_type, connect_status, external_id, sync_status, status)
       values ($1, $2, $3, $4, $5, $6, $7) returning id`,
      [
        partner.id,
        locationId,
        directory,
        values.connect ?? 'CONNECTED',
        // External ids are unique.
        values.page ? `${values.page}-${locationId}` : null,
        values.sync ?? 'NOT_FOUND',
        values.status ?? 'ACTIVE',
      ],
    );
    return row.id;
  }

  /** Inserts a datapoint, and its listing if needed. */
  async addDatapoint(
    partner: TestPartner,
    location: { id: number; businessId: number },
    values: {
      type?: string;
      directory?: string;
      rating?: number;
      read?: boolean;
      hoursAgo?: number;
      repliedAfterHours?: number;
      status?: string;
    } = {},
  ): Promise<number> {
    const directory = values.directory ?? 'GOOGLE';
    const [existing] = await this.query(
      'select id from listings where location_id = $1 and directory_type = $2 and duplicate_of is null',
      [location.id, directory],
    );
    const listingId = existing?.id ?? (await this.addListing(partner, location.id, directory));
    const actionDate = new Date(Date.now() - (values.hoursAgo ?? 48) * 3_600_000);
    const { repliedAfterHours } = values;
    const repliedAt =
      repliedAfterHours === undefined ? null : new Date(actionDate.getTime() + repliedAfterHours * 3_600_000);
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
        values.type ?? 'REVIEW',
        values.rating ?? null,
        values.read ?? true,
        values.status ?? 'VALID',
        actionDate,
        repliedAt,
      ],
    );
    return row.id;
  }

  /** Inserts a post published on Google. */
  async publishPost(
    { partner }: TestPartner,
    locations: readonly { id: number; businessId: number }[],
    daysAgo: number,
  ): Promise<void> {
    const publishedAt = new Date(Date.now() - daysAgo * 86_400_000);
    const [post] = await this.query(
      `insert into social_posts (partner_id, status, description, directories, location_ids, publication_date, created_by)
       values ($1, 'ACTIVE', 'Fresh bread', '{GOOGLE}', $2, $3, 'SYSTEM') returning id`,
      [partner.id, locations.map(({ id }) => id), publishedAt],
    );
    for (const { id, businessId } of locations) {
      await this.query(
        `insert into social_post_publications (post_id, location_id, business_id, directory_type, status, wanted_revision,
           published_at) values ($1, $2, $3, 'GOOGLE', 'PUBLISHED', 1, $4)`,
        [post.id, id, businessId, publishedAt],
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
