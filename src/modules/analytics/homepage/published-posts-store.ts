import type { Sql } from '../../../database/connection.ts';
import { daysAfter, type Span } from '../../../values/span.ts';
import type { Scope } from '../../locations/index.ts';

/** Posts published for a location of the scope within the span. Deleted locations do not count. */
export async function countPublishedPosts(sql: Sql, scope: Scope, { from, to }: Span): Promise<number> {
  const { text, values } = queryOf(scope);
  const { rows } = await sql.query<{ count: number }>(text, [from, daysAfter(to, 1), ...values]);
  return rows[0]?.count ?? 0;
}

const inSpan = 'published_at >= $1::date and published_at < $2::date';

function queryOf(scope: Scope): { text: string; values: unknown[] } {
  if (scope.kind === 'partner') {
    // A post may have 100,000 publications: exists stops at the first.
    const text = `select count(*) from social_posts where partner_id = $3 and exists (
        select from social_post_publications publication
        join locations on locations.id = publication.location_id and locations.status <> 'DELETED'
        where publication.post_id = social_posts.id and ${inSpan}
      )`;
    return { text, values: [scope.partnerId] };
  }
  const which = scope.kind === 'businesses' ? 'locations.business_id' : 'locations.id';
  const text = `select count(distinct post_id) from locations
      join social_post_publications publication on publication.location_id = locations.id and ${inSpan}
      where ${which} = any ($3::bigint[]) and locations.status <> 'DELETED'`;
  return { text, values: [scope.kind === 'businesses' ? scope.businessIds : scope.locationIds] };
}
