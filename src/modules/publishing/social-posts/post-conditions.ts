import { Conditions } from '../../../database/conditions.ts';
import { reachOf } from '../../../http/access.ts';
import type { Caller } from '../../../http/authenticate.ts';
import type { PostStatus, PostType } from './social-post.ts';

export interface PostFilter {
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
