import { randomUUID } from 'node:crypto';
import { processId } from '../../../database/client.ts';
import { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countMatching } from '../../../database/counting.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { type Reach, withinReach } from '../../../http/access.ts';
import { obstacleOf, type Publication, type PublicationTarget } from './publication.ts';
import type { PostTargets } from './social-post.ts';

/** Statuses of locations that can have posts. */
const published = "locations.status in ('CREATED', 'ACTIVE', 'NEEDS_REVIEW', 'CANCELLED')";

interface ReachedTargets {
  targets: PostTargets;
  reach: Reach;
}

const publishedLocations = (partnerId: number) =>
  new Conditions(partnerId).add('locations.partner_id = $1').add(published);

function targetedBy(conditions: Conditions, { targets, reach }: ReachedTargets): Conditions {
  conditions.add(
    `(locations.id = any (${conditions.value(targets.locationIds)}::bigint[])
      or locations.business_id = any (${conditions.value(targets.businessIds)}::bigint[])
      or locations.label_ids && ${conditions.value(targets.labelIds)}::bigint[])`,
  );
  return withinReach(conditions, reach, { business: 'locations.business_id', location: 'locations.id' });
}

/** Every location and directory of a post, with its listing. */
export async function findPublicationTargets(
  sql: Sql,
  partnerId: number,
  targets: PostTargets & { directories: readonly string[] },
  reach: Reach,
): Promise<PublicationTarget[]> {
  const conditions = targetedBy(publishedLocations(partnerId), { targets, reach });
  const directories = conditions.value(targets.directories);
  const { rows } = await sql.query<PublicationTarget>(
    `select locations.id as "locationId", locations.business_id as "businessId", wanted.type as "directoryType",
       listings.id as "listingId", listings.external_id as "pageId",
       coalesce(listings.connect_status <> 'NOT_CONNECTED', false) as "isConnected"
     from locations
     cross join unnest(${directories}::text[]) as wanted (type)
     left join listings on listings.location_id = locations.id and listings.directory_type = wanted.type
       and listings.duplicate_of is null
     ${conditions.where}
     order by locations.id, wanted.type`,
    conditions.values,
  );
  return rows;
}

export async function haveCommonLocation(
  sql: Sql,
  partnerId: number,
  one: ReachedTargets,
  other: ReachedTargets,
): Promise<boolean> {
  const conditions = targetedBy(targetedBy(publishedLocations(partnerId), one), other);
  const { rowCount } = await sql.query(`select from locations ${conditions.where} limit 1`, conditions.values);
  return (rowCount ?? 0) > 0;
}

const columns = `id, post_id as "postId", location_id as "locationId", directory_type as "directoryType",
  listing_id as "listingId", status, external_id as "externalId", url, stale_external_id as "staleExternalId",
  wanted_revision as "wantedRevision", published_revision as "publishedRevision", error_code as "errorCode", message,
  attempts, not_before as "notBefore", last_updated as "lastUpdated"`;

/**
 * Reconciles publications with the targets: one row per target in this revision; others are withdrawn. Directories keep
 * the old state until the new one is published.
 */
export async function planPublications(
  transaction: Transaction,
  postId: number,
  revision: number,
  targets: readonly PublicationTarget[],
): Promise<void> {
  const obstacles = targets.map(obstacleOf);
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
      targets.map(({ locationId }) => locationId),
      targets.map(({ businessId }) => businessId),
      targets.map(({ directoryType }) => directoryType),
      targets.map(({ listingId }) => listingId),
      obstacles.map((obstacle) => (obstacle ? 'FAILED' : 'PENDING')),
      obstacles.map((obstacle) => obstacle?.errorCode ?? null),
      obstacles.map((obstacle) => obstacle?.message ?? null),
    ],
  );
  await withdraw(transaction, postId, 'and wanted_revision < $2', [revision]);
}

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

/** Claims due publications of a post. */
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

const released = 'lease_until = null, lease_token = null, last_updated = now()';
const isLeaseHolder = 'id = $1 and lease_token = $2';

/** A change or withdrawal in the meantime requires more work; the previous post on the directory becomes stale. */
export async function settlePublished(
  sql: Sql,
  { id, token }: LeasedPublication,
  publication: { externalId: string; url: string | null; revision: number },
): Promise<void> {
  await sql.query(
    `update social_post_publications
     set external_id = $3, url = $4, published_revision = $5, attempts = 0, not_before = null, error_code = null,
       published_at = coalesce(published_at, now()), message = null, stale_external_id = case when external_id <> $3 then external_id end, ${released},
       status = case when status in ('WITHDRAWING', 'WITHDRAWN') then 'WITHDRAWING'
         when wanted_revision > $5 then 'PENDING' else 'PUBLISHED' end
     where ${isLeaseHolder}`,
    [id, token, publication.externalId, publication.url, publication.revision],
  );
}

export async function settleWithdrawn(sql: Sql, { id, token }: LeasedPublication): Promise<void> {
  await sql.query(
    `update social_post_publications
     set status = case status when 'WITHDRAWING' then 'WITHDRAWN' else status end, external_id = null, url = null,
       published_revision = null, attempts = 0, not_before = null, error_code = null, message = null, ${released}
     where ${isLeaseHolder}`,
    [id, token],
  );
}

/** The post of an earlier revision was removed. */
export async function settleStale(sql: Sql, { id, token }: LeasedPublication): Promise<void> {
  await sql.query(
    `update social_post_publications set stale_external_id = null, attempts = 0, not_before = null, ${released}
     where ${isLeaseHolder}`,
    [id, token],
  );
}

export async function settleFailed(
  sql: Sql,
  { id, token }: LeasedPublication,
  { errorCode, message }: { errorCode: string | null; message: string },
): Promise<void> {
  await sql.query(
    `update social_post_publications
     set status = case when status in ('PENDING', 'WITHDRAWING') then 'FAILED' else status end,
       stale_external_id = null, error_code = $3, message = $4, not_before = null, ${released}
     where ${isLeaseHolder}`,
    [id, token, errorCode, message],
  );
}

export async function postponePublication(
  sql: Sql,
  { id, token }: LeasedPublication,
  { seconds, message, countsAsAttempt }: { seconds: number; message: string; countsAsAttempt: boolean },
): Promise<void> {
  await sql.query(
    `update social_post_publications
     set not_before = now() + make_interval(secs => $3), message = $4, attempts = attempts + $5::integer, ${released}
     where ${isLeaseHolder}`,
    [id, token, seconds, message, countsAsAttempt ? 1 : 0],
  );
}

/** Releases the leases of crashed processes. */
export async function releasePublicationsOf(sql: Sql, processIds: readonly number[]): Promise<void> {
  await sql.query(
    `update social_post_publications set lease_until = null, lease_token = null
     where lease_process = any ($1) and lease_until > now()`,
    [processIds],
  );
}

interface PublicationCounts {
  published: number;
  pending: number;
  /** When the next due publication can be processed. */
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

const visiblePublications = (postId: number, reach: Reach) =>
  withinReach(new Conditions(postId).add('post_id = $1'), reach, { business: 'business_id', location: 'location_id' });

export async function listPublications(
  sql: Sql,
  postId: number,
  reach: Reach,
  page: { after: number; offset: number; limit: number },
): Promise<(Publication & { id: number })[]> {
  const conditions = visiblePublications(postId, reach);
  conditions.add(`id > ${conditions.value(page.after)}`);
  const { rows } = await sql.query<Publication & { id: number }>(
    `select ${columns} from social_post_publications ${conditions.where}
     order by id offset ${conditions.value(page.offset)} limit ${conditions.value(page.limit)}`,
    conditions.values,
  );
  return rows;
}

export const countPublicationsOf = (sql: Sql, postId: number, reach: Reach): Promise<Counted> =>
  countMatching(sql, 'social_post_publications', visiblePublications(postId, reach), 'post_id = $1');
