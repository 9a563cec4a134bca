import { randomUUID } from 'node:crypto';
import { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countMatching } from '../../../database/counting.ts';
import { processId } from '../../../database/process-id.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { type Reach, withinReach } from '../../../http/access.ts';
import { obstacleOf, type PostPlace, type Publication } from './publication.ts';

const columns = `id, post_id as "postId", location_id as "locationId", directory_type as "directoryType",
  listing_id as "listingId", status, external_id as "externalId", url, stale_external_id as "staleExternalId",
  wanted_revision as "wantedRevision", published_revision as "publishedRevision", error_code as "errorCode", message,
  attempts, not_before as "notBefore", last_updated as "lastUpdated"`;

/**
 * Makes the publications of a post fit its targets: a row for each place, to be published in this revision; those of
 * places that are no longer meant are taken away. What a directory shows stays until the new state is there.
 */
export async function planPublications(
  transaction: Transaction,
  postId: number,
  revision: number,
  places: readonly PostPlace[],
): Promise<void> {
  const obstacles = places.map(obstacleOf);
  await transaction.query(
    `insert into social_post_publications as kept
       (post_id, wanted_revision, location_id, business_id, directory_type, listing_id, status, error_code, message)
     select $1, $2, place.* from unnest($3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::text[], $8::text[],
       $9::text[]) as place
     on conflict (post_id, location_id, directory_type) do update
       set wanted_revision = $2, listing_id = excluded.listing_id, error_code = excluded.error_code,
         message = excluded.message, attempts = 0, not_before = null, last_updated = now(),
         status = case when excluded.status = 'FAILED' and kept.status = 'PUBLISHED' then kept.status
           else excluded.status end`,
    [
      postId,
      revision,
      places.map(({ locationId }) => locationId),
      places.map(({ businessId }) => businessId),
      places.map(({ directoryType }) => directoryType),
      places.map(({ listingId }) => listingId),
      obstacles.map((obstacle) => (obstacle ? 'FAILED' : 'PENDING')),
      obstacles.map((obstacle) => obstacle?.errorCode ?? null),
      obstacles.map((obstacle) => obstacle?.message ?? null),
    ],
  );
  await withdraw(transaction, postId, 'and wanted_revision < $2', [revision]);
}

/** Takes the post away from everywhere. */
export async function withdrawPublications(transaction: Transaction, postId: number): Promise<void> {
  await withdraw(transaction, postId, '', []);
}

async function withdraw(transaction: Transaction, postId: number, which: string, values: unknown[]): Promise<void> {
  await transaction.query(
    `update social_post_publications
     set status = case when external_id is null then 'WITHDRAWN' else 'WITHDRAWING' end, attempts = 0,
       not_before = null, last_updated = now()
     where post_id = $1 and status not in ('WITHDRAWING', 'WITHDRAWN') and (status <> 'FAILED' or external_id is not null)
       ${which}`,
    [postId, ...values],
  );
}

export interface LeasedPublication extends Publication {
  id: number;
  wantedRevision: number;
  token: string;
}

const isDue = `(status in ('PENDING', 'WITHDRAWING') or stale_external_id is not null)`;
const leaseSeconds = 180;

/** Some of a post's publications that are due, for whoever asks first. */
export async function leasePublications(sql: Sql, postId: number, limit: number): Promise<LeasedPublication[]> {
  const token = randomUUID();
  const { rows } = await sql.query<Omit<LeasedPublication, 'token'>>(
    `update social_post_publications
     set lease_until = now() + make_interval(secs => ${leaseSeconds}), lease_token = $3, lease_process = $4
     where id in (
       select id from social_post_publications
       where post_id = $1 and ${isDue} and (not_before is null or not_before <= now())
         and (lease_until is null or lease_until < now())
       order by id limit $2 for update skip locked
     )
     returning ${columns}`,
    [postId, limit, token, processId],
  );
  return rows.map((row) => ({ ...row, token }));
}

const free = 'lease_until = null, lease_token = null, last_updated = now()';
const held = 'id = $1 and lease_token = $2';

/**
 * The directory shows it. If it was changed or withdrawn meanwhile there is more to do; whatever the directory showed
 * before is to be taken away.
 */
export async function settlePublished(
  sql: Sql,
  { id, token }: LeasedPublication,
  shown: { externalId: string; url: string | null; revision: number },
): Promise<void> {
  await sql.query(
    `update social_post_publications
     set external_id = $3, url = $4, published_revision = $5, attempts = 0, not_before = null, error_code = null,
       published_at = coalesce(published_at, now()), message = null, stale_external_id = case when external_id <> $3 then external_id end, ${free},
       status = case when status in ('WITHDRAWING', 'WITHDRAWN') then 'WITHDRAWING'
         when wanted_revision > $5 then 'PENDING' else 'PUBLISHED' end
     where ${held}`,
    [id, token, shown.externalId, shown.url, shown.revision],
  );
}

/** It is there no longer. */
export async function settleWithdrawn(sql: Sql, { id, token }: LeasedPublication): Promise<void> {
  await sql.query(
    `update social_post_publications
     set status = case status when 'WITHDRAWING' then 'WITHDRAWN' else status end, external_id = null, url = null,
       published_revision = null, attempts = 0, not_before = null, error_code = null, message = null, ${free}
     where ${held}`,
    [id, token],
  );
}

/** The post of an earlier revision is there no longer. */
export async function settleStale(sql: Sql, { id, token }: LeasedPublication): Promise<void> {
  await sql.query(
    `update social_post_publications set stale_external_id = null, attempts = 0, not_before = null, ${free}
     where ${held}`,
    [id, token],
  );
}

/** It will not be, and why. */
export async function settleFailed(
  sql: Sql,
  { id, token }: LeasedPublication,
  { errorCode, message }: { errorCode: string | null; message: string },
): Promise<void> {
  await sql.query(
    `update social_post_publications
     set status = case when status in ('PENDING', 'WITHDRAWING') then 'FAILED' else status end,
       stale_external_id = null, error_code = $3, message = $4, not_before = null, ${free}
     where ${held}`,
    [id, token, errorCode, message],
  );
}

/** It is tried again later. */
export async function postponePublication(
  sql: Sql,
  { id, token }: LeasedPublication,
  { seconds, message, countsAsTry }: { seconds: number; message: string; countsAsTry: boolean },
): Promise<void> {
  await sql.query(
    `update social_post_publications
     set not_before = now() + make_interval(secs => $3), message = $4, attempts = attempts + $5::integer, ${free}
     where ${held}`,
    [id, token, seconds, message, countsAsTry ? 1 : 0],
  );
}

/** Releases the leases of processes that have died. */
export async function releasePublicationsOf(sql: Sql, processIds: readonly number[]): Promise<void> {
  await sql.query(
    `update social_post_publications set lease_until = null, lease_token = null
     where lease_process = any ($1) and lease_until > now()`,
    [processIds],
  );
}

export interface PublicationCounts {
  published: number;
  pending: number;
  /** When the next of those that wait is due. */
  nextAt: Date | null;
}

export async function countPublications(sql: Sql, postId: number): Promise<PublicationCounts> {
  const { rows } = await sql.query<PublicationCounts>(
    `select count(*) filter (where status = 'PUBLISHED') as published,
       count(*) filter (where status = 'PENDING') as pending,
       min(greatest(now(), not_before, lease_until)) filter (where ${isDue}) as "nextAt"
     from social_post_publications where post_id = $1`,
    [postId],
  );
  return rows[0] as PublicationCounts;
}

/** Of a post, where somebody sees them. */
const publicationsSeen = (postId: number, reach: Reach) =>
  withinReach(new Conditions(postId).add('post_id = $1'), reach, { business: 'business_id', location: 'location_id' });

export async function listPublications(
  sql: Sql,
  postId: number,
  reach: Reach,
  page: { after: number; offset: number; limit: number },
): Promise<(Publication & { id: number })[]> {
  const conditions = publicationsSeen(postId, reach);
  conditions.add(`id > ${conditions.value(page.after)}`);
  const { rows } = await sql.query<Publication & { id: number }>(
    `select ${columns} from social_post_publications ${conditions.where}
     order by id offset ${conditions.value(page.offset)} limit ${conditions.value(page.limit)}`,
    conditions.values,
  );
  return rows;
}

export const countPublicationsOf = (sql: Sql, postId: number, reach: Reach): Promise<Counted> =>
  countMatching(sql, 'social_post_publications', publicationsSeen(postId, reach), 'post_id = $1');
