import { expect } from 'vitest';
import { Job } from '../../src/jobs/job.ts';
import { changeListing, ensureListings } from '../../src/modules/listings/listing-store.ts';
import type { TestPartner } from './api.ts';
import { SandboxScene, startSceneServices } from './sandbox-scene.ts';

/** A location with a listing that is linked to a sandbox listing. */
export interface LinkedLocation {
  partner: TestPartner;
  businessId: number;
  locationId: number;
  listingId: number;
  directory: string;
  /** External id of the sandbox listing. */
  page: string;
}

export type UnlinkedLocation = Pick<LinkedLocation, 'businessId' | 'locationId' | 'listingId'>;

export const firstOfMarch = Date.parse('2026-03-01T00:00:00Z');

export interface DatapointInput {
  /** Days after the first of March. */
  day: number;
  threadDay?: number;
  type?: string;
  rating?: number;
  text?: string;
  language?: string;
  author?: string;
  status?: string;
  directory?: string;
  externalId?: string;
  pageId?: number;
}

export class FeedbackScene extends SandboxScene {
  #names = 0;
  #lastReview = 0;

  static async open(): Promise<FeedbackScene> {
    return new FeedbackScene(await startSceneServices());
  }

  async addBusiness({ partner }: TestPartner, name = `Business ${++this.#names}`): Promise<number> {
    const { rows } = await this.query(
      `insert into businesses (partner_id, name, status) values ($1, $2, 'ACTIVE') returning id`,
      [partner.id, name],
    );
    return rows[0].id;
  }

  async addLocation({ partner }: TestPartner, businessId: number): Promise<number> {
    const { rows } = await this.query(
      `insert into locations (partner_id, business_id, source, status, name, street, city, country)
       values ($1, $2, 'API', 'ACTIVE', $3, 'Hafenstraße', 'Hamburg', 'DE') returning id`,
      [partner.id, businessId, `Location ${++this.#names}`],
    );
    return rows[0].id;
  }

  async addLinkedLocation(
    partner: TestPartner,
    directory = 'GOOGLE',
    options: { businessId?: number } = {},
  ): Promise<LinkedLocation> {
    const businessId = options.businessId ?? (await this.addBusiness(partner));
    const locationId = await this.addLocation(partner, businessId);
    const name = `Place ${++this.#names}`;
    const page = await this.control.addListing(
      directory,
      { name, street: 'Hafenstraße', streetNo: '1', city: 'Hamburg', country: 'DE' },
      { claim: 'CLAIMED_BY_US' },
    );
    const listingId = await this.api.database.transaction(async (transaction) => {
      const [listing] = await ensureListings(transaction, partner.partner.id, locationId, [directory]);
      if (!listing) throw new Error('The listing was not created.');
      await changeListing(transaction, listing.id, { externalId: page.id });
      return listing.id;
    });
    return { partner, businessId, locationId, listingId, directory, page: page.id };
  }

  /** A location with an unlinked listing. */
  async addUnlinkedLocation(by: TestPartner): Promise<UnlinkedLocation> {
    const businessId = await this.addBusiness(by);
    const locationId = await this.addLocation(by, businessId);
    const listings = await this.api.database.transaction((transaction) =>
      ensureListings(transaction, by.partner.id, locationId, ['GOOGLE']),
    );
    return { businessId, locationId, listingId: listings[0]?.id ?? 0 };
  }

  /** Inserts a datapoint without a check. */
  async addDatapoint(at: UnlinkedLocation, options: DatapointInput, { partner }: TestPartner): Promise<number> {
    const day = 86_400_000;
    const { rows } = await this.query(
      `insert into datapoints (partner_id, business_id, location_id, listing_id, page_id, directory_type, external_id,
         type, status, text, language, rating, author, action_date, thread_action_date, fingerprint)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, '') returning id`,
      [
        partner.id,
        at.businessId,
        options.pageId ? null : at.locationId,
        options.pageId ? null : at.listingId,
        options.pageId ?? null,
        options.directory ?? (options.pageId ? 'FACEBOOK' : 'GOOGLE'),
        options.externalId ?? `datapoint-${++this.#names}`,
        options.type ?? 'REVIEW',
        options.status ?? 'VALID',
        options.text ?? null,
        options.language ?? null,
        options.rating ?? null,
        options.author ?? 'A customer',
        new Date(firstOfMarch + options.day * day),
        new Date(firstOfMarch + (options.threadDay ?? options.day) * day),
      ],
    );
    return rows[0].id;
  }

  /** Unique dates: datapoints of the same millisecond have no defined order. */
  review(location: LinkedLocation, review: { text?: string; rating?: number; author?: string; date?: string } = {}) {
    this.#lastReview = Math.max(Date.now(), this.#lastReview + 1);
    const date = new Date(this.#lastReview).toISOString();
    return this.control.postReview(location.directory, location.page, {
      text: 'Very good',
      rating: 5,
      date,
      ...review,
    });
  }

  /** Runs the job, and all due jobs that it enqueues. */
  async run(job: string, payload: object): Promise<void> {
    await new Job<object>(job).enqueue(this.api.database.pool, payload);
    await this.runJobs();
  }

  check = ({ listingId }: Pick<LinkedLocation, 'listingId'>) => this.run('datapoints.check-listing', { listingId });

  /** Repeats the check, because the breaker rejects requests for a short time after a failure. */
  async checkUntil(location: Pick<LinkedLocation, 'listingId'>, isDone: () => Promise<boolean>): Promise<void> {
    await expect
      .poll(
        async () => {
          await this.check(location);
          return isDone();
        },
        { timeout: 10_000, interval: 20 },
      )
      .toBe(true);
  }

  /** Events of a partner, oldest first. */
  async events({ partner }: TestPartner, type?: string) {
    const { rows } = await this.query('select body from events where partner_id = $1 order by id', [partner.id]);
    const events = rows.map(({ body }) => JSON.parse(body));
    return type ? events.filter((event) => event.type === type) : events;
  }

  /** Datapoints of a listing, oldest first. */
  async datapoints({ listingId }: Pick<LinkedLocation, 'listingId'>) {
    const { rows } = await this.query(
      `select id, external_id as "externalId", type, status, text, rating, read, replied, replies_count as replies
       from datapoints where listing_id = $1 order by id`,
      [listingId],
    );
    return rows;
  }

  async figures({ locationId }: Pick<LinkedLocation, 'locationId'>) {
    const { rows } = await this.query(
      `select data_points_count as "dataPoints", ratings_count as ratings, ratings_sum as sum
       from locations where id = $1`,
      [locationId],
    );
    return rows[0];
  }
}
