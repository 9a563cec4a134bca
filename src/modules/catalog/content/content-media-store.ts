import type { Sql } from '../../../database/connection.ts';

/** Collections with an item that has this text in it: in the address of its picture, in its link or among its attributes. */
export async function collectionsWithMedia(
  sql: Sql,
  partnerId: number,
  part: string,
): Promise<{ id: number; media: string }[]> {
  const { rows } = await sql.query<{ id: number; media: string }>(
    `select collection.id, string_agg(shown.media, ' ') as media
     from content_collections collection join content_items item on item.collection_id = collection.id,
       lateral (select concat_ws(' ', item.image, item.url, item.attributes::text) as media) as shown
     where collection.partner_id = $1 and strpos(shown.media, $2) > 0
     group by collection.id order by collection.id`,
    [partnerId, part],
  );
  return rows;
}
