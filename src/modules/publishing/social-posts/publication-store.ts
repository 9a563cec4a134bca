import { randomUUID } from 'node:crypto';
import type { ExpressionBuilder, UpdateObject } from 'kysely';
import { processId } from '../../../database/client.ts';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countRows } from '../../../database/counting.ts';
import { anyOf, bigints, db, inSeconds, pageById, raw } from '../../../database/query-builder.ts';
import type { DB } from '../../../database/schema.ts';
import { defineStatement, run, textList } from '../../../database/statement.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { inReach, type Reach, reachOf } from '../../../http/access.ts';
import type { Caller } from '../../../http/authenticate.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import { servedStatuses } from '../../locations/index.ts';
import { obstacleOf, type PostTargets, type Publication } from './social-post.ts';

/** Locations that can have posts, within the reach. */
function targetedLocations(sql: Sql, partnerId: number, targets: PostTargets, reach: Reach) {
  const targeted = db(sql)
    .selectFrom('locations')
    .where('locations.partnerId', '=', partnerId)
    .where('locations.status', 'in', raw.raw<string>(textList(servedStatuses)))
    .where((eb) =>
      eb.or([
        eb('locations.id', '=', anyOf(targets.locationIds, 'bigint')),
        eb('locations.businessId', '=', anyOf(targets.businessIds, 'bigint')),
        eb('locations.labelIds', '&&', bigints(targets.labelIds)),
      ]),
    );
  return inReach(targeted, reach, { business: 'locations.businessId', location: 'locations.id' });
}

/** Every location and directory of a post, with its listing. `pageId` is the external id of the listing. */
export function findPublicationTargets(
  sql: Sql,
  partnerId: number,
  targets: PostTargets & { directories: readonly string[] },
  reach: Reach,
) {
  const directories = raw<{ type: string }>`unnest(${targets.directories}::text[])`;
  return targetedLocations(sql, partnerId, targets, reach)
    .crossJoin(directories.as<'wanted'>(raw`wanted (type)`))
    .leftJoin('listings', (join) =>
      join
        .onRef('listings.locationId', '=', 'locations.id')
        .onRef('listings.directoryType', '=', 'wanted.type')
        .on('listings.duplicateOf', 'is', null),
    )
    .select(({ ref }) => [
      'locations.id as locationId',
      'locations.businessId',
      'wanted.type as directoryType',
      'listings.id as listingId',
      'listings.externalId as pageId',
      raw<boolean>`coalesce(${ref('listings.connectStatus')} <> 'NOT_CONNECTED', false)`.as('isConnected'),
    ])
    .orderBy('locations.id')
    .orderBy('wanted.type')
    .execute();
}

export type PublicationTarget = Awaited<ReturnType<typeof findPublicationTargets>>[number];

const columns = [
  'id',
  'postId',
  'locationId',
  'directoryType',
  'listingId',
  'status',
  'externalId',
  'url',
  'staleExternalId',
  'wantedRevision',
  'publishedRevision',
  'attemptedRevision',
  'errorCode',
  'message',
  'attempts',
  'notBefore',
  'lastUpdated',
] as const;

const plan = defineStatement({
  name: 'plan-publications',
  text: `insert into social_post_publications as existing
           (post_id, wanted_revision, location_id, business_id, directory_type, listing_id, status, error_code, message)
         select $1, $2, target.* from unnest($3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::text[],
           $8::text[], $9::text[]) as target
         on conflict (post_id, location_id, directory_type) do update
           set wanted_revision = $2, listing_id = excluded.listing_id, error_code = excluded.error_code,
             message = excluded.message, attempts = 0, not_before = null, last_updated = now(),
             status = case when excluded.status = 'FAILED' and existing.status = 'PUBLISHED' then existing.status
               else excluded.status end`,
});

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
  await run(transaction, plan, [
    postId,
    revision,
    targets.map(({ locationId }) => locationId),
    targets.map(({ businessId }) => businessId),
    targets.map(({ directoryType }) => directoryType),
    targets.map(({ listingId }) => listingId),
    obstacles.map((obstacle) => (obstacle ? 'FAILED' : 'PENDING')),
    obstacles.map((obstacle) => obstacle?.errorCode ?? null),
    obstacles.map((obstacle) => obstacle?.message ?? null),
  ]);
  await withdrawal(transaction, postId).where('wantedRevision', '<', revision).execute();
}

export async function withdrawPublications(transaction: Transaction, postId: number): Promise<void> {
  await withdrawal(transaction, postId).execute();
}

const withdrawal = (transaction: Transaction, postId: number) =>
  db(transaction)
    .updateTable('socialPostPublications')
    .set({ attempts: 0, notBefore: null, lastUpdated: raw`now()` })
    .set('status', (eb) => eb.case().when(mayBeShown(eb)).then('WITHDRAWING').else('WITHDRAWN').end())
    .where('postId', '=', postId)
    .where('status', 'not in', ['WITHDRAWING', 'WITHDRAWN'])
    .where((eb) => eb.or([eb('status', '<>', 'FAILED'), mayBeShown(eb)]));

/** Also after a call whose result is not known. */
const mayBeShown = (eb: ExpressionBuilder<DB, 'socialPostPublications'>) =>
  eb.or([eb('externalId', 'is not', null), eb('attemptedRevision', 'is not', null)]);

export interface LeasedPublication extends Publication {
  token: string;
}

/** Literals, because the index `social_post_publications_due` has the same condition. */
const isDue = ({ ref }: ExpressionBuilder<DB, 'socialPostPublications'>) =>
  raw<boolean>`(${ref('status')} in ('PENDING', 'WITHDRAWING') or ${ref('staleExternalId')} is not null)`;

const leaseSeconds = 180;

/** Claims due publications of a post. */
export async function leasePublications(sql: Sql, postId: number, limit: number): Promise<LeasedPublication[]> {
  const token = randomUUID();
  const now = raw<Date>`now()`;
  const due = publicationsOf(sql, postId)
    .select('id')
    .where(isDue)
    .where((eb) => eb.or([eb('notBefore', 'is', null), eb('notBefore', '<=', now)]))
    .where((eb) => eb.or([eb('leaseUntil', 'is', null), eb('leaseUntil', '<', now)]))
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked();
  const leased = await db(sql)
    .updateTable('socialPostPublications')
    .set({ leaseUntil: inSeconds(leaseSeconds), leaseToken: token, leaseProcess: processId })
    .where('id', 'in', due)
    .returning(columns)
    .$narrowType<Pick<Publication, 'status'>>()
    .execute();
  return leased.map((publication) => ({ ...publication, token }));
}

/**
 * Stores the revision before it is sent to the directory. Returns false if the lease was lost or the publication was
 * withdrawn since: without an attempt, nothing would remove the published post.
 */
export async function startAttempt(sql: Sql, { id, token }: LeasedPublication, revision: number): Promise<boolean> {
  const { numUpdatedRows } = await db(sql)
    .updateTable('socialPostPublications')
    .set({ attemptedRevision: revision })
    .where('id', '=', id)
    .where('leaseToken', '=', token)
    .where('status', '=', 'PENDING')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Leaves the publication as it is for the next run. */
export async function releasePublication(sql: Sql, publication: LeasedPublication): Promise<void> {
  await settle(sql, publication, {}).execute();
}

/** Releases the lease. Changes nothing if another process has leased the publication in the meantime. */
const settle = (sql: Sql, { id, token }: LeasedPublication, change: UpdateObject<DB, 'socialPostPublications'>) =>
  db(sql)
    .updateTable('socialPostPublications')
    .set({ leaseUntil: null, leaseToken: null, lastUpdated: raw`now()` })
    .set(change)
    .where('id', '=', id)
    .where('leaseToken', '=', token);

const withoutFault = { attempts: 0, notBefore: null, errorCode: null, message: null };

/** A concurrent change or withdrawal keeps the publication due. The previous post on the directory becomes stale. */
export async function settlePublished(
  sql: Sql,
  publication: LeasedPublication,
  { externalId, url = null, revision }: { externalId: string; url?: string | null | undefined; revision: number },
): Promise<void> {
  await settle(sql, publication, {
    externalId,
    url,
    publishedRevision: revision,
    attemptedRevision: null,
    ...withoutFault,
  })
    // An update keeps the date. A post that was withdrawn is published again.
    .set('publishedAt', (eb) =>
      eb.case().when('externalId', 'is', null).then(raw<Date>`now()`).else(eb.ref('publishedAt')).end(),
    )
    .set('staleExternalId', (eb) => eb.case().when('externalId', '<>', externalId).then(eb.ref('externalId')).end())
    .set('status', (eb) =>
      eb
        .case()
        .when('status', 'in', ['WITHDRAWING', 'WITHDRAWN'])
        .then('WITHDRAWING')
        .when('wantedRevision', '>', revision)
        .then('PENDING')
        .else('PUBLISHED')
        .end(),
    )
    .execute();
}

export async function settleWithdrawn(sql: Sql, publication: LeasedPublication): Promise<void> {
  await settle(sql, publication, { externalId: null, url: null, publishedRevision: null, ...withoutFault })
    .set('status', (eb) => eb.case().when('status', '=', 'WITHDRAWING').then('WITHDRAWN').else(eb.ref('status')).end())
    .execute();
}

/** `attemptedRevision`: its call has not published a post. `staleExternalId`: this post was removed. */
export async function settleCleared(
  sql: Sql,
  publication: LeasedPublication,
  column: 'attemptedRevision' | 'staleExternalId',
): Promise<void> {
  await settle(sql, publication, { [column]: null, attempts: 0, notBefore: null }).execute();
}

/** If the post of an earlier revision cannot be removed, the publication itself continues. */
export async function settleFailed(
  sql: Sql,
  publication: LeasedPublication,
  fault: { errorCode: string | null; message: string; attemptedRevision?: null },
): Promise<void> {
  const isDone = publication.staleExternalId === null;
  await settle(sql, publication, { staleExternalId: null, attempts: 0, notBefore: null, ...fault })
    .$if(isDone, (failed) =>
      // A concurrent change or withdrawal keeps the publication due.
      failed.set('status', (eb) =>
        eb
          .case()
          .when(eb.and([eb('status', '=', publication.status), eb('wantedRevision', '=', publication.wantedRevision)]))
          .then('FAILED')
          .else(eb.ref('status'))
          .end(),
      ),
    )
    .execute();
}

export async function postponePublication(
  sql: Sql,
  publication: LeasedPublication,
  { seconds, message, countsAsAttempt }: { seconds: number; message: string; countsAsAttempt: boolean },
): Promise<void> {
  await settle(sql, publication, { notBefore: inSeconds(seconds), message })
    .set('attempts', (eb) => eb('attempts', '+', countsAsAttempt ? 1 : 0))
    .execute();
}

/** Releases the leases of crashed processes. */
export async function releasePublicationsOf(sql: Sql, processIds: readonly number[]): Promise<void> {
  await db(sql)
    .updateTable('socialPostPublications')
    .set({ leaseUntil: null, leaseToken: null })
    .where('leaseProcess', '=', anyOf(processIds, 'bigint'))
    .where('leaseUntil', '>', raw<Date>`now()`)
    .execute();
}

/** `nextAt`: when the next due publication can be processed. */
export const countPublications = (sql: Sql, postId: number) =>
  publicationsOf(sql, postId)
    .select((eb) => [
      eb.fn.countAll<number>().filterWhere('status', '=', 'PUBLISHED').as('published'),
      eb.fn.countAll<number>().filterWhere('status', '=', 'PENDING').as('pending'),
      eb.fn
        .min<Date | null>(raw<Date>`greatest(now(), ${eb.ref('notBefore')}, ${eb.ref('leaseUntil')})`)
        .filterWhere(isDue)
        .as('nextAt'),
    ])
    .executeTakeFirstOrThrow();

const publicationsOf = (sql: Sql, postId: number) =>
  db(sql).selectFrom('socialPostPublications').where('postId', '=', postId);

/** The location may have moved to another business since the publication was planned. */
const currentBusiness = raw<number>`(select locations.business_id from locations
  where locations.id = social_post_publications.location_id)`;

const visiblePublications = (sql: Sql, caller: Caller, postId: number) =>
  inReach(publicationsOf(sql, postId), reachOf(caller), { business: currentBusiness, location: 'locationId' });

/** Returns up to max + 1 rows, to detect whether another page follows. */
export const listPublications = (sql: Sql, caller: Caller, postId: number, page: PageQuery): Promise<Publication[]> =>
  pageById(visiblePublications(sql, caller, postId).select(columns), { ...page, max: page.max + 1 })
    .$narrowType<Pick<Publication, 'status'>>()
    .execute();

export const countPublicationsOf = (sql: Sql, caller: Caller, postId: number): Promise<Counted> =>
  countRows(sql, {
    table: 'socialPostPublications',
    partnerId: caller.partnerId,
    rows: visiblePublications(sql, caller, postId),
    all: publicationsOf(sql, postId),
  });
