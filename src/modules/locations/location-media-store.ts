import type { Sql } from '../../database/connection.ts';

/** Locations whose profile has this text in it, as in the address of a photo or a video. */
export async function locationsWithMedia(
  sql: Sql,
  partnerId: number,
  part: string,
): Promise<{ id: number; media: string }[]> {
  const { rows } = await sql.query<{ id: number; media: string }>(
    `select id, profile::text as media from locations
     where partner_id = $1 and status <> 'DELETED' and strpos(profile::text, $2) > 0 order by id`,
    [partnerId, part],
  );
  return rows;
}
