import { addCursorCondition, Conditions, orderBy } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countMatching } from '../../../database/counting.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { type Reach, reachOf } from '../../../http/access.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { Problem } from '../../../problems.ts';
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

/** Callers with partial access see posts for accessible locations and businesses, and their own. */
export function postConditions(caller: Caller): Conditions {
  const conditions = new Conditions(caller.partnerId).add('partner_id = $1');
  const { businessIds, locationIds } = reachOf(caller);
  if (businessIds === null || locationIds === null) return conditions;
  const businesses = `${conditions.value(businessIds)}::bigint[]`;
  const locations = `${conditions.value(locationIds)}::bigint[]`;
  return conditions.add(
    `(created_by = ${conditions.value(caller.by)} or location_ids && ${locations} or target_business_ids && ${businesses}
      or exists (
        select from social_post_publications
        where post_id = social_posts.id and (location_id = any (${locations}) or business_id = any (${businesses}))
      ))`,
  );
}

/** Excludes deleted posts unless a status is given. */
export function listConditions(caller: Caller, filter: PostFilter): Conditions {
  const conditions = postConditions(caller);
  const { statuses, types, directories, locationIds, from, to, query } = filter;
  if (statuses) conditions.add(`status = any (${conditions.value(statuses)})`);
  else conditions.add("status <> 'DELETED'");
  if (types) conditions.add(`type = any (${conditions.value(types)})`);
  if (directories) conditions.add(`directories && ${conditions.value(directories)}::text[]`);
  if (locationIds) {
    const ids = conditions.value(locationIds);
    conditions.add(
      `(location_ids && ${ids}::bigint[] or id in (
         select post_id from social_post_publications where location_id = any (${ids}::bigint[])))`,
    );
  }
  if (from) conditions.add(`publication_date >= ${conditions.value(from)}`);
  if (to) conditions.add(`publication_date <= ${conditions.value(to)}`);
  if (query) conditions.add(`search @@ websearch_to_tsquery('simple', ${conditions.value(query)})`);
  return conditions;
}

const columns = `id, partner_id as "partnerId", type, status, title, description, directories,
  location_ids as "locationIds", business_ids as "businessIds", label_ids as "labelIds",
  publication_date as "publicationDate", date_start as "dateStart", date_end as "dateEnd", photos, videos,
  call_to_actions as "callToActions", coupon_code as "couponCode", terms_and_conditions as "termsAndConditions",
  is_store_locator as "isStoreLocator", rejection_reason as "rejectionReason", revision, created_by as "createdBy",
  date_created as "dateCreated", last_updated as "lastUpdated"`;

export interface PostFrame {
  status: PostStatus;
  targetBusinessIds: readonly number[];
  /** Access of the user who selected the targets. */
  reach: Reach;
}

const written = `type = $3, title = $4, description = $5, directories = $6, location_ids = $7, business_ids = $8,
  label_ids = $9, publication_date = $10, date_start = $11, date_end = $12, photos = $13, videos = $14,
  call_to_actions = $15, coupon_code = $16, terms_and_conditions = $17, is_store_locator = $18, status = $19,
  target_business_ids = $20, reach = $21`;

const valuesOf = (content: PostContent, { status, targetBusinessIds, reach }: PostFrame) => [
  content.type,
  content.title,
  content.description,
  content.directories,
  content.locationIds,
  content.businessIds,
  content.labelIds,
  content.publicationDate,
  content.dateStart,
  content.dateEnd,
  JSON.stringify(content.photos),
  content.videos,
  JSON.stringify(content.callToActions),
  content.couponCode,
  content.termsAndConditions,
  content.isStoreLocator,
  status,
  targetBusinessIds,
  reach.businessIds === null ? null : JSON.stringify(reach),
];

export async function insertPost(
  transaction: Transaction,
  { partnerId, createdBy }: { partnerId: number; createdBy: string },
  content: PostContent,
  frame: PostFrame,
): Promise<SocialPost> {
  const { rows } = await transaction.query<SocialPost>(
    `insert into social_posts (partner_id, created_by, type, title, description, directories, location_ids,
       business_ids, label_ids, publication_date, date_start, date_end, photos, videos, call_to_actions, coupon_code,
       terms_and_conditions, is_store_locator, status, target_business_ids, reach)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
     returning ${columns}`,
    [partnerId, createdBy, ...valuesOf(content, frame)],
  );
  return rows[0] as SocialPost;
}

/** The post must be locked. */
export async function updatePost(
  transaction: Transaction,
  { id, partnerId }: SocialPost,
  content: PostContent,
  frame: PostFrame,
): Promise<SocialPost> {
  const { rows } = await transaction.query<SocialPost>(
    `update social_posts set ${written}, revision = revision + 1, rejection_reason = null, last_updated = now()
     where id = $1 and partner_id = $2 returning ${columns}`,
    [id, partnerId, ...valuesOf(content, frame)],
  );
  return rows[0] as SocialPost;
}

export async function setPostStatus(
  transaction: Transaction,
  id: number,
  status: PostStatus,
  rejectionReason: string | null = null,
): Promise<SocialPost> {
  const { rows } = await transaction.query<SocialPost>(
    `update social_posts set status = $2, rejection_reason = $3, last_updated = now() where id = $1 returning ${columns}`,
    [id, status, rejectionReason],
  );
  return rows[0] as SocialPost;
}

export async function markPlanned(transaction: Transaction, id: number, revision: number): Promise<void> {
  await transaction.query('update social_posts set planned_revision = $2 where id = $1', [id, revision]);
}

export async function findPost(sql: Sql, conditions: Conditions, id: number): Promise<SocialPost | undefined> {
  const { rows } = await sql.query<SocialPost>(
    `select ${columns} from social_posts ${conditions.add(`id = ${conditions.value(id)}`).where}`,
    conditions.values,
  );
  return rows[0];
}

/** A post with the data for its publication. */
export interface PublishablePost extends SocialPost {
  plannedRevision: number;
  targetBusinessIds: number[];
  reach: Reach;
}

const publishableQuery = `select ${columns}, planned_revision as "plannedRevision",
  target_business_ids as "targetBusinessIds",
  coalesce(reach, '{"businessIds": null, "locationIds": null}') as reach
  from social_posts where id = $1`;

/** For jobs, which have no caller. */
export async function readPublishablePost(sql: Sql, id: number): Promise<PublishablePost | undefined> {
  const { rows } = await sql.query<PublishablePost>(publishableQuery, [id]);
  return rows[0];
}

export async function lockPublishablePost(transaction: Transaction, id: number): Promise<PublishablePost | undefined> {
  const { rows } = await transaction.query<PublishablePost>(`${publishableQuery} for update`, [id]);
  return rows[0];
}

export async function listPosts(
  sql: Sql,
  conditions: Conditions,
  page: { offset: number; limit: number; after?: number; descending: boolean },
): Promise<SocialPost[]> {
  const order = { by: 'publication_date', id: 'id', descending: page.descending };
  addCursorCondition(conditions, order, 'social_posts', page.after);
  const { rows } = await sql.query<SocialPost>(
    `select ${columns} from social_posts ${conditions.where}
     order by ${orderBy(order)}
     offset ${conditions.value(page.offset)} limit ${conditions.value(page.limit)}`,
    conditions.values,
  );
  return rows;
}

export function countPosts(sql: Sql, conditions: Conditions): Promise<Counted> {
  return countMatching(sql, 'social_posts', conditions);
}

/** Serializes writes of a partner, so that concurrent duplicates are detected. */
export async function lockPostsOfPartner(transaction: Transaction, partnerId: number): Promise<void> {
  await transaction.query("select pg_advisory_xact_lock(hashtextextended('social posts of ' || $1::bigint, 0))", [
    partnerId,
  ]);
}

/** Posts of the same type and text on a common directory at overlapping times. */
export async function findDuplicatePosts(
  sql: Sql,
  partnerId: number,
  content: PostContent,
  exceptId: number,
): Promise<Pick<PublishablePost, 'id' | 'status' | 'locationIds' | 'businessIds' | 'labelIds' | 'reach'>[]> {
  const { rows } = await sql.query(
    `select id, status, location_ids as "locationIds", business_ids as "businessIds", label_ids as "labelIds",
       coalesce(reach, '{"businessIds": null, "locationIds": null}') as reach
     from social_posts
     where partner_id = $1 and id <> $2 and type = $3 and status in ('SCHEDULED', 'APPROVAL_NEEDED', 'ACTIVE')
       and lower(coalesce(title, '')) = lower(coalesce($4, ''))
       and lower(coalesce(description, '')) = lower(coalesce($5, ''))
       and directories && $6::text[] and publication_date < coalesce($8, 'infinity'::timestamptz)
       and coalesce(date_end, 'infinity') > $7
     order by id`,
    [
      partnerId,
      exceptId,
      content.type,
      content.title,
      content.description,
      content.directories,
      content.publicationDate,
      content.dateEnd,
    ],
  );
  return rows;
}

/** Unpublished posts whose only target is this label. */
async function findPostsTargetedOnlyBy(sql: Sql, partnerId: number, labelId: number, limit: number): Promise<number[]> {
  const { rows } = await sql.query<{ id: number }>(
    `select id from social_posts
     where partner_id = $1 and status in ('SCHEDULED', 'APPROVAL_NEEDED', 'INACTIVE') and label_ids @> array[$2::bigint]
       and location_ids = '{}' and business_ids = '{}'
       and not exists (select from labels where labels.id = any (label_ids) and labels.id <> $2)
     order by id limit $3`,
    [partnerId, labelId, limit],
  );
  return rows.map(({ id }) => id);
}

const maxNamed = 10;

export async function rejectDeletingLabelOfPosts(
  sql: Sql,
  { partner }: { partner: { id: number } },
  { id, name }: { id: number; name: string },
): Promise<void> {
  const posts = await findPostsTargetedOnlyBy(sql, partner.id, id, maxNamed + 1);
  if (posts.length === 0) return;
  const named = `${posts.slice(0, maxNamed).join(', ')}${posts.length > maxNamed ? ' and others' : ''}`;
  throw new Problem('CONFLICT', {
    message: `The label "${name}" is the only target of unpublished social posts: ${named}. Change their targets or delete them first.`,
  });
}

export async function listDuePosts(sql: Sql): Promise<number[]> {
  const { rows } = await sql.query<{ id: number }>(
    `select id from social_posts where status = 'SCHEDULED' and publication_date <= now()
     union
     select id from social_posts where status in ('SCHEDULED', 'ACTIVE') and date_end <= now()
     union
     select id from social_posts where status = 'ACTIVE' and planned_revision < revision
     union
     select post_id from social_post_publications
     where (status in ('PENDING', 'WITHDRAWING') or stale_external_id is not null)
       and (not_before is null or not_before <= now()) and (lease_until is null or lease_until < now())
     limit 1000`,
  );
  return rows.map(({ id }) => id);
}

/** Posts that are or can be published and whose media or buttons contain `part` in a URL. */
export async function postsWithMedia(
  sql: Sql,
  partnerId: number,
  part: string,
): Promise<{ id: number; media: string }[]> {
  const { rows } = await sql.query<{ id: number; media: string }>(
    `select id, media from social_posts, lateral (select photos::text || videos::text || call_to_actions::text as media) as shown
     where partner_id = $1 and status not in ('DELETED', 'ENDED', 'REJECTED') and strpos(media, $2) > 0 order by id`,
    [partnerId, part],
  );
  return rows;
}
