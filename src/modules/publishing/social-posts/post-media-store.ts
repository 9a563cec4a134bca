import type { Sql } from '../../../database/connection.ts';

/** Posts that are or can be published and whose photos, videos or buttons have this text in their addresses. */
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
