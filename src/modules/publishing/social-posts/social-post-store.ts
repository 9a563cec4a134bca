import type { Updateable } from 'kysely';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countRows } from '../../../database/counting.ts';
import { isNotMoving } from '../../../database/partner-moves.ts';
import { afterRow, anyOf, bigints, db, inOrder, raw } from '../../../database/query-builder.ts';
import type { DB } from '../../../database/schema.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import { lockName, type Transaction } from '../../../database/transaction.ts';
import { type Reach, reachOf } from '../../../http/access.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { type Label, maxNamedUses, rejectDeletingOnlyTarget } from '../../catalog/index.ts';
import type { PostContent, PostStatus, PostType, SocialPost } from './social-post.ts';

interface PostFilter {
  statuses?: readonly PostStatus[];
  types?: readonly PostType[];
  directories?: readonly string[];
  locationIds?: readonly number[];
  from?: Date;
  to?: Date;
  query?: string;
}

const postsOf = (sql: Sql, partnerId: number) => db(sql).selectFrom('socialPosts').where('partnerId', '=', partnerId);

/** Callers with partial access see posts for accessible locations and businesses, and their own. */
function visiblePosts(sql: Sql, caller: Caller) {
  const posts = postsOf(sql, caller.partnerId);
  const { businessIds, locationIds } = reachOf(caller);
  if (businessIds === null || locationIds === null) return posts;
  return posts.where((post) =>
    post.or([
      post('createdBy', '=', caller.by),
      post('locationIds', '&&', bigints(locationIds)),
      post('targetBusinessIds', '&&', bigints(businessIds)),
      post.exists(
        post
          .selectFrom('socialPostPublications')
          .whereRef('postId', '=', 'socialPosts.id')
          .where((publication) =>
            publication.or([
              publication('locationId', '=', anyOf(locationIds, 'bigint')),
              publication('businessId', '=', anyOf(businessIds, 'bigint')),
            ]),
          ),
      ),
    ]),
  );
}

/** Excludes deleted posts unless a status is given. */
function matching(sql: Sql, caller: Caller, filter: PostFilter) {
  const { statuses, types, directories, locationIds, from, to, query } = filter;
  let posts = visiblePosts(sql, caller);
  posts = statuses ? posts.where('status', '=', anyOf(statuses, 'text')) : posts.where('status', '<>', 'DELETED');
  if (types) posts = posts.where('type', '=', anyOf(types, 'text'));
  if (directories) posts = posts.where('directories', '&&', raw<string[]>`${directories}::text[]`);
  if (locationIds) {
    const published = db(sql)
      .selectFrom('socialPostPublications')
      .select('postId')
      .where('locationId', '=', anyOf(locationIds, 'bigint'));
    posts = posts.where((eb) => eb.or([eb('locationIds', '&&', bigints(locationIds)), eb('id', 'in', published)]));
  }
  if (from) posts = posts.where('publicationDate', '>=', from);
  if (to) posts = posts.where('publicationDate', '<=', to);
  if (query) posts = posts.where('search', '@@', raw<string>`websearch_to_tsquery('simple', ${query})`);
  return posts;
}

const columns = [
  'id',
  'partnerId',
  'type',
  'status',
  'title',
  'description',
  'directories',
  'locationIds',
  'businessIds',
  'labelIds',
  'publicationDate',
  'dateStart',
  'dateEnd',
  'photos',
  'videos',
  'callToActions',
  'couponCode',
  'termsAndConditions',
  'isStoreLocator',
  'rejectionReason',
  'revision',
  'createdBy',
  'dateCreated',
  'lastUpdated',
] as const;

type Narrowed = Pick<SocialPost, 'type' | 'status' | 'photos' | 'callToActions'>;

export interface PostState {
  status: PostStatus;
  targetBusinessIds: readonly number[];
  /** Access of the user who selected the targets. */
  reach: Reach;
}

const settable = (content: PostContent, { status, targetBusinessIds, reach }: PostState) =>
  ({
    type: content.type,
    title: content.title,
    description: content.description,
    directories: content.directories,
    locationIds: content.locationIds,
    businessIds: content.businessIds,
    labelIds: content.labelIds,
    publicationDate: content.publicationDate,
    dateStart: content.dateStart,
    dateEnd: content.dateEnd,
    photos: JSON.stringify(content.photos),
    videos: content.videos,
    callToActions: JSON.stringify(content.callToActions),
    couponCode: content.couponCode,
    termsAndConditions: content.termsAndConditions,
    isStoreLocator: content.isStoreLocator,
    status,
    targetBusinessIds: [...targetBusinessIds],
    reach: reach.businessIds === null ? null : JSON.stringify(reach),
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

export function listPosts(
  sql: Sql,
  caller: Caller,
  filter: PostFilter,
  page: { offset: number; limit: number; after?: number; descending: boolean },
): Promise<SocialPost[]> {
  const order = { by: raw.ref('publicationDate'), descending: page.descending };
  let posts = matching(sql, caller, filter);
  if (page.after !== undefined) posts = posts.where(afterRow('socialPosts', order, caller.partnerId, page.after));
  return inOrder(posts.select(columns), order).offset(page.offset).limit(page.limit).$narrowType<Narrowed>().execute();
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

type DuplicatePost = Pick<PublishablePost, 'id' | 'status' | 'locationIds' | 'businessIds' | 'labelIds' | 'reach'>;

const findDuplicates = defineStatement<DuplicatePost>({
  name: 'find-duplicate-posts',
  text: `select id, status, location_ids, business_ids, label_ids,
           coalesce(reach, '{"businessIds": null, "locationIds": null}') as reach
         from social_posts
         where partner_id = $1 and id <> $2 and type = $3 and status in ('SCHEDULED', 'APPROVAL_NEEDED', 'ACTIVE')
           and lower(coalesce(title, '')) = lower(coalesce($4, ''))
           and lower(coalesce(description, '')) = lower(coalesce($5, ''))
           and directories && $6::text[] and publication_date < coalesce($8, 'infinity'::timestamptz)
           and coalesce(date_end, 'infinity') > $7
         order by id`,
  columns: {
    id: 'int8',
    status: 'text',
    locationIds: 'int8[]',
    businessIds: 'int8[]',
    labelIds: 'int8[]',
    reach: 'jsonb',
  },
});

/** Posts of the same type and text on a common directory at overlapping times. */
export const findDuplicatePosts = (
  sql: Sql,
  partnerId: number,
  content: PostContent,
  exceptId: number,
): Promise<DuplicatePost[]> =>
  run(sql, findDuplicates, [
    partnerId,
    exceptId,
    content.type,
    content.title,
    content.description,
    content.directories,
    content.publicationDate,
    content.dateEnd,
  ]);

/** Posts whose only target is this label and that can still be published. */
const findTargetedOnlyBy = defineStatement<{ id: number }>({
  name: 'find-posts-targeted-only-by-label',
  text: `select id from social_posts
         where partner_id = $1 and status in ('SCHEDULED', 'APPROVAL_NEEDED', 'INACTIVE', 'REJECTED', 'IMPOSSIBLE')
           and label_ids @> array[$2::bigint] and location_ids = '{}' and business_ids = '{}'
           and not exists (select from labels where labels.id = any (label_ids) and labels.id <> $2)
         order by id limit $3`,
  columns: { id: 'int8' },
});

export async function rejectDeletingLabelOfPosts(
  sql: Sql,
  { partner }: { partner: { id: number } },
  label: Label,
): Promise<void> {
  const posts = await run(sql, findTargetedOnlyBy, [partner.id, label.id, maxNamedUses + 1]);
  const ids = posts.map(({ id }) => id);
  rejectDeletingOnlyTarget(label, 'unpublished social posts', ids);
}

interface DuePost {
  postId: number;
  partnerId: number;
}

const findDue = defineStatement<DuePost>({
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
         where ${isNotMoving('partner_id')} limit 1000`,
  columns: { postId: 'int8', partnerId: 'int8' },
});

export const listDuePosts = (sql: Sql): Promise<DuePost[]> => run(sql, findDue);

const findWithMedia = defineStatement<{ id: number; media: string }>({
  name: 'find-posts-with-media',
  text: `select id, media
         from social_posts, lateral (select photos::text || videos::text || call_to_actions::text as media) as shown
         where partner_id = $1 and status not in ('DELETED', 'ENDED') and strpos(media, $2) > 0
         order by id`,
  columns: { id: 'int8', media: 'text' },
});

/** Posts that are or can be published and whose media or buttons contain `part` in a URL. */
export const postsWithMedia = (sql: Sql, partnerId: number, part: string) => run(sql, findWithMedia, [partnerId, part]);
