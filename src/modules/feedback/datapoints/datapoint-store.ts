import { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import { type Reach, withinReach } from '../../../http/access.ts';
import type { Datapoint, DatapointType } from './datapoint.ts';

const columnOf = {
  id: 'id',
  type: 'type',
  status: 'status',
  businessId: 'business_id',
  locationId: 'location_id',
  listingId: 'listing_id',
  pageId: 'page_id',
  directoryType: 'directory_type',
  externalId: 'external_id',
  text: 'text',
  language: 'language',
  rating: 'rating',
  author: 'author',
  authorImage: 'author_image',
  photoUrl: 'photo_url',
  directLink: 'direct_link',
  actionDate: 'action_date',
  threadActionDate: 'thread_action_date',
  read: 'read',
  liked: 'liked',
  flagged: 'flagged',
  dateCreated: 'date_created',
  lastUpdated: 'last_updated',
} as const satisfies Record<keyof Datapoint, string>;

export const datapointColumns = Object.entries(columnOf)
  .map(([name, column]) => `datapoints.${column} as "${name}"`)
  .join(', ');

/** The partner and the part of its data that the caller can access. */
export interface Viewer {
  partnerId: number;
  reach: Reach;
}

/** A lock also covers writes to the thread, until the transaction ends. */
export async function findDatapoint(
  sql: Sql,
  { partnerId, reach }: Viewer,
  id: number,
  lock: '' | 'for no key update' = '',
): Promise<Datapoint | undefined> {
  const { where, values } = withinReach(new Conditions(partnerId, id).add('partner_id = $1').add('id = $2'), reach, {
    business: 'business_id',
    location: 'location_id',
  });
  const { rows } = await sql.query<Datapoint>(`select ${datapointColumns} from datapoints ${where} ${lock}`, values);
  return rows[0];
}

export interface Marks {
  read?: boolean;
  liked?: boolean;
  flagged?: boolean;
}

/** Returns the ids of all visible datapoints, changed or not. */
export async function markDatapoints(
  sql: Sql,
  { partnerId, reach }: Viewer,
  ids: readonly number[],
  { read, liked, flagged }: Marks,
): Promise<number[]> {
  const conditions = new Conditions(partnerId, ids, read, liked, flagged)
    .add('partner_id = $1')
    .add('id = any ($2::bigint[])');
  withinReach(conditions, reach, { business: 'business_id', location: 'location_id' });
  const { rows } = await sql.query<{ id: number }>(
    `with visible as (
       select id from datapoints ${conditions.where} order by id for no key update
     ), marked as (
       update datapoints
       set read = coalesce($3, read), liked = coalesce($4, liked), flagged = coalesce($5, flagged),
         last_updated = now()
       where id in (select id from visible)
         and (read, liked, flagged)
           is distinct from (coalesce($3, read), coalesce($4, liked), coalesce($5, flagged))
     )
     select id from visible order by id`,
    conditions.values,
  );
  return rows.map(({ id }) => id);
}

/** In the order of `ids`. */
export async function findDatapointsByIds(sql: Sql, partnerId: number, ids: readonly number[]): Promise<Datapoint[]> {
  const { rows } = await sql.query<Datapoint>(
    `select ${datapointColumns} from unnest($2::bigint[]) with ordinality as asked (id, place)
     join datapoints on datapoints.id = asked.id and datapoints.partner_id = $1 order by place`,
    [partnerId, ids],
  );
  return rows;
}

interface DatapointText {
  id: number;
  type: DatapointType;
  text: string | null;
  language: string | null;
}

/** Locks the datapoints until the transaction ends. */
export async function lockTexts(sql: Sql, ids: readonly number[]): Promise<DatapointText[]> {
  const { rows } = await sql.query<DatapointText>(
    `select id, type, text, language from datapoints where id = any ($1::bigint[]) order by id for no key update`,
    [ids],
  );
  return rows;
}
