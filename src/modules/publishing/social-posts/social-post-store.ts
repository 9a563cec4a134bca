import type { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countMatching } from '../../../database/counting.ts';
import { addCursorCondition, orderBy } from '../../../database/list-order.ts';
import type { Transaction } from '../../../database/transaction.ts';
import type { Reach } from '../../../http/access.ts';
import { Problem } from '../../../problems.ts';
import type { PostContent, PostStatus, SocialPost } from './social-post.ts';

const columns = `id, partner_id as "partnerId", type, status, title, description, directories,
  location_ids as "locationIds", business_ids as "businessIds", label_ids as "labelIds",
  publication_date as "publicationDate", date_start as "dateStart", date_end as "dateEnd", photos, videos,
  call_to_actions as "callToActions", coupon_code as "couponCode", terms_and_conditions as "termsAndConditions",
  is_store_locator as "isStoreLocator", rejection_reason as "rejectionReason", revision, created_by as "createdBy",
  date_created as "dateCreated", last_updated as "lastUpdated"`;

/** What is written together with the content. */
export interface PostFrame {
  status: PostStatus;
  targetBusinessIds: readonly number[];
  /** What whoever chose the targets could see. */
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

/** For a post that this transaction has locked. */
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

/** Its publications have been made to fit this revision. */
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

/** A post with what its publication needs to know. */
export interface PostUnderWay extends SocialPost {
  plannedRevision: number;
  targetBusinessIds: number[];
  reach: Reach;
}

const underWay = `select ${columns}, planned_revision as "plannedRevision",
  target_business_ids as "targetBusinessIds",
  coalesce(reach, '{"businessIds": null, "locationIds": null}') as reach
  from social_posts where id = $1`;

/** For the platform's own work, which belongs to no caller. */
export async function readPostUnderWay(sql: Sql, id: number): Promise<PostUnderWay | undefined> {
  const { rows } = await sql.query<PostUnderWay>(underWay, [id]);
  return rows[0];
}

/** As it is, and as it stays until the transaction ends. */
export async function lockPostUnderWay(transaction: Transaction, id: number): Promise<PostUnderWay | undefined> {
  const { rows } = await transaction.query<PostUnderWay>(`${underWay} for update`, [id]);
  return rows[0];
}

/** By the date of publication. */
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

/** Two who write the same post at once do it one after the other: the second finds the first one's. */
export async function takeTurnsWriting(transaction: Transaction, partnerId: number): Promise<void> {
  await transaction.query("select pg_advisory_xact_lock(hashtextextended('social posts of ' || $1::bigint, 0))", [
    partnerId,
  ]);
}

/** Posts of the same kind and the same words, on one of the same directories, that are there at the same time. */
export async function findSameWords(
  sql: Sql,
  partnerId: number,
  content: PostContent,
  exceptId: number,
): Promise<Pick<PostUnderWay, 'id' | 'status' | 'locationIds' | 'businessIds' | 'labelIds' | 'reach'>[]> {
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

/** Posts that may still be published and that would have no place left to go without a label. */
async function postsOnlyBy(sql: Sql, partnerId: number, labelId: number, limit: number): Promise<number[]> {
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

const mostNamed = 10;

/** A label that alone selects the locations of a scheduled post cannot be deleted. */
export async function refuseToDeleteLabelOfPosts(
  sql: Sql,
  { partner }: { partner: { id: number } },
  { id, name }: { id: number; name: string },
): Promise<void> {
  const posts = await postsOnlyBy(sql, partner.id, id, mostNamed + 1);
  if (posts.length === 0) return;
  const named = `${posts.slice(0, mostNamed).join(', ')}${posts.length > mostNamed ? ' and others' : ''}`;
  throw new Problem('CONFLICT', {
    message: `Only the label "${name}" says where to publish the social posts that are still to come: ${named}. Give them other places or delete them first.`,
  });
}

/** Posts that are due and whose own job may be missing. */
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
