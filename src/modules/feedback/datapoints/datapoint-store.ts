import type { Sql } from '../../../database/connection.ts';
import { anyOf, db, raw } from '../../../database/query-builder.ts';
import { inReach, type Reach } from '../../../http/access.ts';
import type { Datapoint } from './datapoint.ts';

export const timeColumns = ['actionDate', 'threadActionDate', 'dateCreated', 'lastUpdated'] as const;

export const otherColumns = [
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
  'datapoints.read',
  'datapoints.liked',
  'datapoints.flagged',
] as const;

const datapointColumns = [...otherColumns, ...timeColumns.map((name) => `datapoints.${name}` as const)];

type Narrowed = Pick<Datapoint, 'type' | 'status'>;

/** The partner and the part of its data that the caller can access. */
export interface Viewer {
  partnerId: number;
  reach: Reach;
}

const visibleDatapoints = (sql: Sql, { partnerId, reach }: Viewer) =>
  inReach(db(sql).selectFrom('datapoints').where('partnerId', '=', partnerId), reach, {
    business: 'businessId',
    location: 'locationId',
  });

/** A lock also covers writes to the thread, until the transaction ends. */
export function findDatapoint(
  sql: Sql,
  viewer: Viewer,
  id: number,
  lock: '' | 'for no key update' = '',
): Promise<Datapoint | undefined> {
  return visibleDatapoints(sql, viewer)
    .select(datapointColumns)
    .where('id', '=', id)
    .$if(lock === 'for no key update', (query) => query.forNoKeyUpdate())
    .$narrowType<Narrowed>()
    .executeTakeFirst();
}

export type Marks = Partial<Pick<Datapoint, 'read' | 'liked' | 'flagged'>>;

/** Returns the ids of all visible datapoints, changed or not. */
export async function markDatapoints(
  sql: Sql,
  viewer: Viewer,
  ids: readonly number[],
  { read, liked, flagged }: Marks,
): Promise<number[]> {
  const visible = visibleDatapoints(sql, viewer).select('id').where('id', '=', anyOf(ids, 'bigint'));
  const rows = await db(sql)
    .with('visible', () => visible.orderBy('id').forNoKeyUpdate())
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
