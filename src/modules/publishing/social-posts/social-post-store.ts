import type { ExpressionBuilder, Updateable } from 'kysely';
import Type from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countRows } from '../../../database/counting.ts';
import { notMovingSql } from '../../../database/partner-moves.ts';
import { afterRow, anyOf, bigints, db, inOrder, raw } from '../../../database/query-builder.ts';
import type { DB } from '../../../database/schema.ts';
import { defineStatement, run, runUnprepared, textList } from '../../../database/statement.ts';
import { lockName, type Transaction } from '../../../database/transaction.ts';
import { inReach, type Reach, reachOf } from '../../../http/access.ts';
import type { Caller } from '../../../http/authenticate.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import { fieldNames } from '../../../http/record-response.ts';
import { servedStatuses } from '../../locations/index.ts';
import { onlyTargetCheck } from '../assets/asset-targets.ts';
import {
  contentColumns,
  type PostContent,
  type PostStatus,
  type PostType,
  type SocialPost,
  SocialPostResponse,
} from './social-post.ts';

interface PostFilter {
  status?: readonly PostStatus[];
  type?: readonly PostType[];
  directories?: readonly string[];
  locationIds?: readonly number[];
  from?: Date;
  to?: Date;
  query?: string;
}

const postsOf = (sql: Sql, partnerId: number) => db(sql).selectFrom('socialPosts').where('partnerId', '=', partnerId);

/** Locations within the reach, by their current business: a location can move after a post was written for it. */
const accessibleLocations = (post: ExpressionBuilder<DB, 'socialPosts'>, reach: Reach) =>
  inReach(post.selectFrom('locations'), reach, { business: 'locations.businessId', location: 'locations.id' });

const locationsWithin = (post: ExpressionBuilder<DB, 'socialPosts'>, reach: Reach) =>
  accessibleLocations(post, reach).whereRef('locations.partnerId', '=', 'socialPosts.partnerId');

/** Locations that the author of the post could access. */
const isWithinReachOfPost = `(social_posts.reach is null
  or social_posts.reach -> 'businessIds' @> to_jsonb(locations.business_id)
  or social_posts.reach -> 'locationIds' @> to_jsonb(locations.id))`;

/** Each uses another index of `locations`. Lists without elements are excluded before the index is read. */
const isTarget = {
  location: "social_posts.location_ids <> '{}' and locations.id = any (social_posts.location_ids)",
  business: "social_posts.business_ids <> '{}' and locations.business_id = any (social_posts.business_ids)",
  label: "social_posts.label_ids <> '{}' and locations.label_ids && social_posts.label_ids",
};

/** Until a post is planned, its businesses and labels select its locations. */
const isToBePlannedFor = (target: string) =>
  raw<boolean>`social_posts.planned_revision < social_posts.revision and ${raw.raw(`${target} and ${isWithinReachOfPost}`)}`;

/** Without publications that an earlier revision planned and that are no longer shown. */
const isCurrent = raw<boolean>`(publication.wanted_revision = social_posts.planned_revision
  or publication.external_id is not null or publication.attempted_revision is not null)`;

/** Read once, because it does not depend on the post. Locations are not searched for posts with other labels. */
const hasLabelWithin = (post: ExpressionBuilder<DB, 'socialPosts'>, reach: Reach) =>
  raw<boolean>`social_posts.label_ids && array(${accessibleLocations(post, reach)
    .select(raw<number>`unnest(locations.label_ids)`.as('id'))
    .distinct()})`;

/** By the current business of the location, which PostgreSQL looks up in a hash table of the accessible locations. */
function publicationsWithin(post: ExpressionBuilder<DB, 'socialPosts'>, { businessIds, locationIds }: Reach) {
  const publications = post
    .selectFrom('socialPostPublications as publication')
    .whereRef('publication.postId', '=', 'socialPosts.id')
    .where(isCurrent);
  return publications.where((publication) => {
    const isAmong = publication('publication.locationId', '=', anyOf(locationIds ?? [], 'bigint'));
    if (!businessIds?.length) return isAmong;
    const ofBusinesses = publication
      .selectFrom('locations')
      .whereRef('locations.id', '=', 'publication.locationId')
      .where('locations.businessId', '=', anyOf(businessIds, 'bigint'));
    return publication.or([isAmong, publication.exists(ofBusinesses)]);
  });
}

/** Posts for a location within the reach. */
const isForLocations = (post: ExpressionBuilder<DB, 'socialPosts'>, reach: Reach) =>
  post.or([
    post.exists(locationsWithin(post, reach).where(raw.raw<boolean>(isTarget.location))),
    post.exists(locationsWithin(post, reach).where(isToBePlannedFor(isTarget.business))),
    post.exists(
      locationsWithin(post, reach).where(isToBePlannedFor(isTarget.label)).where(hasLabelWithin(post, reach)),
    ),
    post.exists(publicationsWithin(post, reach)),
  ]);

/** Callers with partial access see posts for accessible locations and businesses, and their own. */
function visiblePosts(sql: Sql, caller: Caller) {
  const posts = postsOf(sql, caller.partnerId);
  const reach = reachOf(caller);
  if (reach.businessIds === null || reach.locationIds === null) return posts;
  const businessIds = bigints(reach.businessIds);
  return posts.where((post) =>
    post.or([post('createdBy', '=', caller.by), post('businessIds', '&&', businessIds), isForLocations(post, reach)]),
  );
}

/** Excludes deleted posts unless a status is given. */
function matching(sql: Sql, caller: Caller, filter: PostFilter) {
  const { status, type, directories, locationIds, from, to, query } = filter;
  let posts = visiblePosts(sql, caller);
  posts = status ? posts.where('status', '=', anyOf(status, 'text')) : posts.where('status', '<>', 'DELETED');
  if (type) posts = posts.where('type', '=', anyOf(type, 'text'));
  if (directories) posts = posts.where('directories', '&&', raw<string[]>`${directories}::text[]`);
  if (locationIds) posts = posts.where((post) => isForLocations(post, { businessIds: [], locationIds }));
  if (from) posts = posts.where('publicationDate', '>=', from);
  if (to) posts = posts.where('publicationDate', '<=', to);
  if (query) posts = posts.where('search', '@@', raw<string>`websearch_to_tsquery('simple', ${query})`);
  return posts;
}

const columns = [
  ...fieldNames(Type.Omit(SocialPostResponse, ['labels'])),
  'partnerId',
  'labelIds',
  'revision',
] as const;

type Narrowed = Pick<SocialPost, 'type' | 'status' | 'photos' | 'callToActions'>;

export interface PostState {
  status: PostStatus;
  /** For processes of the previous minor version. */
  targetBusinessIds: readonly number[];
  /** Access of the user who selected the targets. */
  reach: Reach;
}

/** Null means all locations. */
const storedReach = (reach: Reach) => (reach.businessIds === null ? null : JSON.stringify(reach));

const settable = (content: PostContent, { status, targetBusinessIds, reach }: PostState) =>
  ({
    ...(Object.fromEntries(contentColumns.map((name) => [name, content[name]])) as PostContent),
    photos: JSON.stringify(content.photos),
    callToActions: JSON.stringify(content.callToActions),
    status,
    targetBusinessIds: [...targetBusinessIds],
    reach: storedReach(reach),
  }) satisfies Updateable<DB['socialPosts']>;

export function insertPost(
  transaction: Transaction,
  { partnerId, createdBy }: { partnerId: number; createdBy: string },
  content: PostContent,
  state: PostState,
): Promise<SocialPost> {
  return db(transaction)
    .insertInto('socialPosts')
    .values({ partnerId, createdBy, ...settable(content, state) })
    .returning(columns)
    .$narrowType<Narrowed>()
    .executeTakeFirstOrThrow();
}

/** The post must be locked. */
export function updatePost(
  transaction: Transaction,
  { id, partnerId, rejectionReason }: SocialPost,
  content: PostContent,
  state: PostState,
): Promise<SocialPost> {
  const kept = state.status === 'REJECTED' ? rejectionReason : null;
  return db(transaction)
    .updateTable('socialPosts')
    .set({ ...settable(content, state), rejectionReason: kept, lastUpdated: raw`now()` })
    .set('revision', (eb) => eb('revision', '+', 1))
    .where('id', '=', id)
    .where('partnerId', '=', partnerId)
    .returning(columns)
    .$narrowType<Narrowed>()
    .executeTakeFirstOrThrow();
}

export function setPostStatus(
  transaction: Transaction,
  id: number,
  status: PostStatus,
  rejectionReason: string | null = null,
): Promise<SocialPost> {
  return db(transaction)
    .updateTable('socialPosts')
    .set({ status, rejectionReason, lastUpdated: raw`now()` })
    .where('id', '=', id)
    .returning(columns)
    .$narrowType<Narrowed>()
    .executeTakeFirstOrThrow();
}

export async function markPlanned(transaction: Transaction, id: number, revision: number): Promise<void> {
  await db(transaction).updateTable('socialPosts').set({ plannedRevision: revision }).where('id', '=', id).execute();
}

export function findPost(sql: Sql, caller: Caller, id: number): Promise<SocialPost | undefined> {
  return visiblePosts(sql, caller).select(columns).where('id', '=', id).$narrowType<Narrowed>().executeTakeFirst();
}

/** A post with the data for its publication. */
export interface PublishablePost extends SocialPost {
  plannedRevision: number;
  targetBusinessIds: number[];
  reach: Reach;
}

const publishablePost = (sql: Sql, id: number) =>
  db(sql)
    .selectFrom('socialPosts')
    .select(columns)
    .select((eb) => [
      'plannedRevision',
      'targetBusinessIds',
      raw<Reach>`coalesce(${eb.ref('reach')}, '{"businessIds": null, "locationIds": null}')`.as('reach'),
    ])
    .where('id', '=', id)
    .$narrowType<Narrowed>();

/** For jobs, which have no caller. */
export const readPublishablePost = (sql: Sql, id: number): Promise<PublishablePost | undefined> =>
  publishablePost(sql, id).executeTakeFirst();

export const lockPublishablePost = (transaction: Transaction, id: number): Promise<PublishablePost | undefined> =>
  publishablePost(transaction, id).forUpdate().executeTakeFirst();

/** Returns up to max + 1 rows, to detect whether another page follows. */
export function listPosts(
  sql: Sql,
  caller: Caller,
  filter: PostFilter,
  page: PageQuery & { descending: boolean },
): Promise<SocialPost[]> {
  const order = { by: raw.ref('publicationDate'), descending: page.descending };
  let posts = matching(sql, caller, filter);
  if (page.after !== undefined) posts = posts.where(afterRow('socialPosts', order, caller.partnerId, page.after));
  return inOrder(posts.select(columns), order)
    .offset(page.offset)
    .limit(page.max + 1)
    .$narrowType<Narrowed>()
    .execute();
}

export const countPosts = (sql: Sql, caller: Caller, filter: PostFilter): Promise<Counted> =>
  countRows(sql, {
    table: 'socialPosts',
    partnerId: caller.partnerId,
    rows: matching(sql, caller, filter),
    all: postsOf(sql, caller.partnerId),
  });

/** Serializes writes of a partner, so that concurrent duplicates are detected. */
export async function lockPostsOfPartner(transaction: Transaction, partnerId: number): Promise<void> {
  await lockName(transaction, `social posts of ${partnerId}`);
}

type DuplicatePost = Pick<SocialPost, 'id' | 'status'>;

/** `coalesce` prevents a search by the ids of the author's reach, which can be thousands for each post. */
const isCommonLocation = (target: string) =>
  `exists (
     select from locations
     where partner_id = $1 and status in ${textList(servedStatuses)} and ${target} and ${isWithinReachOfPost}
       and (id = any ($9::bigint[]) or business_id = any ($10::bigint[]) or label_ids && $11::bigint[])
       and coalesce(business_id = any ($12::bigint[]) or id = any ($13::bigint[]), true)
   )`;

const findDuplicate = defineStatement<DuplicatePost>({
  name: 'find-duplicate-post',
  text: `select id, status from social_posts
         where partner_id = $1 and id <> $2 and type = $3 and status in ('SCHEDULED', 'APPROVAL_NEEDED', 'ACTIVE')
           and lower(coalesce(title, '')) = lower(coalesce($4, ''))
           and lower(coalesce(description, '')) = lower(coalesce($5, ''))
           and directories && $6::text[] and publication_date < coalesce($8, 'infinity'::timestamptz)
           and coalesce(date_end, 'infinity') > $7
           and (${Object.values(isTarget).map(isCommonLocation).join(' or ')})
         order by id limit 1`,
  columns: { id: 'int8', status: 'text' },
});

/** A post of the same type and text for a common location and directory at an overlapping time. */
export async function findDuplicatePost(
  sql: Sql,
  partnerId: number,
  content: PostContent,
  reach: Reach,
  exceptId: number,
): Promise<DuplicatePost | undefined> {
  const [duplicate] = await runUnprepared(sql, findDuplicate, [
    partnerId,
    exceptId,
    content.type,
    content.title,
    content.description,
    content.directories,
    content.publicationDate,
    content.dateEnd,
    content.locationIds,
    content.businessIds,
    content.labelIds,
    reach.businessIds,
    reach.locationIds,
  ]);
  return duplicate;
}

/** Only posts that can still be published. */
export const rejectDeletingLabelOfPosts = onlyTargetCheck({
  table: 'social_posts',
  records: 'unpublished social posts',
  isBlocking: `status in ('SCHEDULED', 'APPROVAL_NEEDED', 'INACTIVE', 'REJECTED', 'IMPOSSIBLE')`,
});

const findDue = defineStatement<{ postId: number; partnerId: number }>({
  name: 'find-due-posts',
  text: `with due as (
           select id from social_posts where status = 'SCHEDULED' and publication_date <= now()
           union
           select id from social_posts where status in ('SCHEDULED', 'ACTIVE') and date_end <= now()
           union
           select id from social_posts where status = 'ACTIVE' and planned_revision < revision
           union
           select post_id from social_post_publications
           where (status in ('PENDING', 'WITHDRAWING') or stale_external_id is not null)
             and (not_before is null or not_before <= now()) and (lease_until is null or lease_until < now())
         )
         select id as post_id, partner_id from due join social_posts using (id)
         where ${notMovingSql('partner_id')} limit 1000`,
  columns: { postId: 'int8', partnerId: 'int8' },
});

export const listDuePosts = (sql: Sql) => run(sql, findDue);

const media = raw<string>`photos::text || videos::text || call_to_actions::text`;

/** A query of posts that are or can be published and whose media or buttons contain `part` in a URL. */
export const postsWithMedia = (sql: Sql, partnerId: number, part: string) =>
  postsOf(sql, partnerId)
    .select(['id', media.as('media')])
    .where('status', 'not in', ['DELETED', 'ENDED'])
    .where(raw<boolean>`strpos(${media}, ${part}) > 0`);
