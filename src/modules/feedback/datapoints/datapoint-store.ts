import type { Sql } from '../../../database/connection.ts';
import { anyOf, db, raw } from '../../../database/query-builder.ts';
import { inReach, type Reach } from '../../../http/access.ts';
import type { Datapoint } from './datapoint.ts';

export const datapointColumns = [
  'datapoints.id',
  'datapoints.type',
  'datapoints.status',
  'datapoints.businessId',
  'datapoints.locationId',
  'datapoints.listingId',
  'datapoints.pageId',
  'datapoints.directoryType',
  'datapoints.externalId',
  'datapoints.text',
  'datapoints.language',
  'datapoints.rating',
  'datapoints.author',
  'datapoints.authorImage',
  'datapoints.photoUrl',
  'datapoints.directLink',
  'datapoints.actionDate',
  'datapoints.threadActionDate',
  'datapoints.read',
  'datapoints.liked',
  'datapoints.flagged',
  'datapoints.dateCreated',
  'datapoints.lastUpdated',
] as const;

type Narrowed = Pick<Datapoint, 'type' | 'status'>;

/** The partner and the part of its data that the caller can access. */
export interface Viewer {
  partnerId: number;
  reach: Reach;
}

/** A lock also covers writes to the thread, until the transaction ends. */
export function findDatapoint(
  sql: Sql,
  { partnerId, reach }: Viewer,
  id: number,
  lock: '' | 'for no key update' = '',
): Promise<Datapoint | undefined> {
  const datapoint = db(sql).selectFrom('datapoints').where('partnerId', '=', partnerId).where('id', '=', id);
  return inReach(datapoint, reach, { business: 'businessId', location: 'locationId' })
    .select(datapointColumns)
    .$if(lock === 'for no key update', (query) => query.forNoKeyUpdate())
    .$narrowType<Narrowed>()
    .executeTakeFirst();
}

export type Marks = Partial<Pick<Datapoint, 'read' | 'liked' | 'flagged'>>;

/** Returns the ids of all visible datapoints, changed or not. */
export async function markDatapoints(
  sql: Sql,
  { partnerId, reach }: Viewer,
  ids: readonly number[],
  { read, liked, flagged }: Marks,
): Promise<number[]> {
  const visible = inReach(
    db(sql).selectFrom('datapoints').where('partnerId', '=', partnerId).where('id', '=', anyOf(ids, 'bigint')),
    reach,
    { business: 'businessId', location: 'locationId' },
  );
  const rows = await db(sql)
    .with('visible', () => visible.select('id').orderBy('id').forNoKeyUpdate())
    .with('marked', (query) =>
      query
        .updateTable('datapoints')
        .set({ read, liked, flagged, lastUpdated: raw`now()` })
        .where('id', 'in', (eb) => eb.selectFrom('visible').select('id'))
        .where(({ eb, or }) =>
          or([
            eb('read', '<>', read ?? eb.ref('read')),
            eb('liked', '<>', liked ?? eb.ref('liked')),
            eb('flagged', '<>', flagged ?? eb.ref('flagged')),
          ]),
        ),
    )
    .selectFrom('visible')
    .select('id')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** In the order of `ids`. */
export function findDatapointsByIds(sql: Sql, partnerId: number, ids: readonly number[]): Promise<Datapoint[]> {
  const asked = raw<{ id: number; position: number }>`unnest(${ids}::bigint[]) with ordinality`;
  return db(sql)
    .selectFrom(asked.as<'asked'>(raw`asked (id, position)`))
    .innerJoin('datapoints', (join) =>
      join.onRef('datapoints.id', '=', 'asked.id').on('datapoints.partnerId', '=', partnerId),
    )
    .select(datapointColumns)
    .orderBy('asked.position')
    .$narrowType<Narrowed>()
    .execute();
}

type DatapointText = Pick<Datapoint, 'id' | 'type' | 'text' | 'language'>;

/** Locks the datapoints until the transaction ends. */
export function lockTexts(sql: Sql, ids: readonly number[]): Promise<DatapointText[]> {
  return db(sql)
    .selectFrom('datapoints')
    .select(['id', 'type', 'text', 'language'])
    .where('id', '=', anyOf(ids, 'bigint'))
    .orderBy('id')
    .forNoKeyUpdate()
    .$narrowType<Pick<DatapointText, 'type'>>()
    .execute();
}
