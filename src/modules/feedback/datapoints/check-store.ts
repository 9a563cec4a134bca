import type { Sql } from '../../../database/connection.ts';
import { anyOf, db, raw } from '../../../database/query-builder.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import type { DatapointFeed } from '../../listings/index.ts';
import type { FetchedDatapoint, FetchedReply, StoredDatapoint, StoredReply } from './datapoint-diff.ts';

const columnOf = { listing: 'listingId', page: 'pageId' } as const;

const selectStored = (sql: Sql, { kind, id }: DatapointFeed) =>
  db(sql)
    .selectFrom('datapoints')
    .select(['id', 'externalId', 'status', 'rating', 'fingerprint'])
    .where(columnOf[kind], '=', id)
    .$narrowType<Pick<StoredDatapoint, 'status'>>();

export const findStoredDatapoints = (sql: Sql, feed: DatapointFeed): Promise<StoredDatapoint[]> =>
  selectStored(sql, feed).execute();

export const findValidDatapoints = (sql: Sql, feed: DatapointFeed): Promise<StoredDatapoint[]> =>
  selectStored(sql, feed).where('status', '=', 'VALID').execute();

/** Excludes withdrawn replies. If the directory has published one nevertheless, it is stored as a new reply. */
export function findStoredReplies(sql: Sql, { kind, id }: DatapointFeed): Promise<StoredReply[]> {
  return db(sql)
    .selectFrom('datapoints')
    .innerJoin('datapointReplies as reply', 'reply.datapointId', 'datapoints.id')
    .select([
      'reply.id',
      'reply.datapointId',
      'reply.externalId',
      'reply.author',
      'reply.text',
      'reply.ownerReply',
      'reply.status',
    ])
    .where(`datapoints.${columnOf[kind]}`, '=', id)
    .where(({ eb, or }) => or([eb('reply.externalId', 'is not', null), eb('reply.status', '<>', 'DELETED')]))
    .$narrowType<Pick<StoredReply, 'status'>>()
    .execute();
}

/** Serializes writers of the replies of these datapoints. */
export async function lockDatapoints(sql: Sql, ids: readonly number[]): Promise<void> {
  await db(sql)
    .selectFrom('datapoints')
    .where('id', '=', anyOf(ids, 'bigint'))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

type Inserted = Pick<StoredDatapoint, 'id' | 'externalId'>;

/** The location must be locked: it may have moved or been deleted since the check began. */
export function insertDatapoints(
  sql: Sql,
  feed: DatapointFeed,
  fetched: readonly FetchedDatapoint[],
): Promise<Inserted[]> {
  const { kind, partner, businessId, locationId, id, directoryType } = feed;
  const values = [partner.id, businessId, locationId, id, directoryType, JSON.stringify(fetched.map(rowOf))];
  return run(sql, insertFetched[kind], values);
}

/** With the derived columns of its thread. */
function rowOf({ replies, ...fetched }: FetchedDatapoint): object {
  const ownerReplyTimes = replies.filter(({ ownerReply }) => ownerReply).map(({ date }) => date.getTime());
  return {
    ...fetched,
    repliesCount: replies.length,
    ...(ownerReplyTimes.length > 0 && { ownerRepliedAt: new Date(Math.min(...ownerReplyTimes)) }),
  };
}

const fetchedRecord = `fetched ("externalId" text, type text, text text, language text, rating real, author text,
  "authorImage" text, "photoUrl" text, "directLink" text, "actionDate" timestamptz, "threadActionDate" timestamptz,
  fingerprint text, "ownerRepliedAt" timestamptz, "repliesCount" integer)`;

const defineInsertion = (kind: DatapointFeed['kind']) =>
  defineStatement<Inserted>({
    name: `insert-datapoints-of-${kind}`,
    text: `insert into datapoints
             (partner_id, business_id, location_id, ${kind}_id, directory_type, external_id, type, text, language,
              rating, author, author_image, photo_url, direct_link, action_date, thread_action_date, fingerprint,
              owner_replied_at, replies_count, location_deleted)
           select $1, coalesce(location.business_id, $2), $3, $4, $5, fetched."externalId", fetched.type, fetched.text,
             fetched.language, fetched.rating, fetched.author, fetched."authorImage", fetched."photoUrl",
             fetched."directLink", fetched."actionDate", fetched."threadActionDate", fetched.fingerprint,
             fetched."ownerRepliedAt", fetched."repliesCount", coalesce(location.status = 'DELETED', false)
           from jsonb_to_recordset($6::jsonb) as ${fetchedRecord}
           left join locations location on location.id = $3
           order by "actionDate", "externalId"
           on conflict do nothing
           returning id, external_id`,
    columns: { id: 'int8', externalId: 'text' },
  });

const insertFetched = { listing: defineInsertion('listing'), page: defineInsertion('page') };

/** A datapoint that the customer changed becomes unread. */
export async function updateDatapoints(
  sql: Sql,
  changes: readonly { id: number; fetched: FetchedDatapoint }[],
): Promise<void> {
  await run(sql, updateFetched, [changes.map(({ id }) => id), changes.map(({ fetched }) => JSON.stringify(fetched))]);
}

const updateFetched = defineStatement({
  name: 'update-datapoints',
  text: `update datapoints
         set type = fetched.type, text = fetched.text, language = fetched.language, rating = fetched.rating,
           author = fetched.author, author_image = fetched."authorImage", photo_url = fetched."photoUrl",
           direct_link = fetched."directLink", action_date = fetched."actionDate",
           thread_action_date = greatest(thread_action_date, fetched."threadActionDate"),
           fingerprint = fetched.fingerprint, read = false, last_updated = now()
         from unnest($1::bigint[], $2::jsonb[]) as change (id, given)
         cross join lateral jsonb_to_record(change.given) as ${fetchedRecord}
         where datapoints.id = change.id`,
});

export async function setDatapointStatus(
  sql: Sql,
  ids: readonly number[],
  status: StoredDatapoint['status'],
): Promise<void> {
  await db(sql)
    .updateTable('datapoints')
    .set({ status, lastUpdated: raw`now()` })
    .where('id', '=', anyOf(ids, 'bigint'))
    .execute();
}

export async function insertReplies(
  sql: Sql,
  replies: readonly { datapointId: number; fetched: FetchedReply }[],
): Promise<void> {
  const rows = replies.map(({ datapointId, fetched }) => ({ datapointId, ...fetched }));
  await run(sql, insertFetchedReplies, [JSON.stringify(rows)]);
}

const replyRecord = `fetched (id bigint, "datapointId" bigint, "externalId" text, author text, text text,
  "ownerReply" boolean, date timestamptz)`;

const insertFetchedReplies = defineStatement({
  name: 'insert-datapoint-replies',
  text: `insert into datapoint_replies (datapoint_id, external_id, author, text, owner_reply, date_created)
         select "datapointId", "externalId", author, text, "ownerReply", date
         from jsonb_to_recordset($1::jsonb) as ${replyRecord}
         on conflict do nothing`,
});

/** Also restores replies that were deleted. */
export async function updateReplies(
  sql: Sql,
  replies: readonly { id: number; fetched: FetchedReply }[],
): Promise<void> {
  const rows = replies.map(({ id, fetched }) => ({ id, ...fetched }));
  await run(sql, updateFetchedReplies, [JSON.stringify(rows)]);
}

const updateFetchedReplies = defineStatement({
  name: 'update-datapoint-replies',
  text: `update datapoint_replies reply
         set external_id = fetched."externalId", author = fetched.author, text = fetched.text,
           owner_reply = fetched."ownerReply", date_created = fetched.date, status = 'PUBLISHED', message = null,
           sending_until = null, last_updated = now()
         from jsonb_to_recordset($1::jsonb) as ${replyRecord}
         where reply.id = fetched.id`,
});

export async function setReplyStatus(sql: Sql, ids: readonly number[], status: 'PUBLISHED' | 'DELETED'): Promise<void> {
  await db(sql)
    .updateTable('datapointReplies')
    .set({ status, lastUpdated: raw`now()` })
    .where('id', '=', anyOf(ids, 'bigint'))
    .execute();
}

/** Updates the derived columns of the datapoint: reply count, first owner reply, last activity. */
export async function summarizeThreads(sql: Sql, ids: readonly number[]): Promise<void> {
  await run(sql, updateThreadSummaries, [ids]);
}

const updateThreadSummaries = defineStatement({
  name: 'summarize-threads',
  text: `update datapoints
         set owner_replied_at = thread.owner_replied_at, replies_count = thread.replies_count,
           thread_action_date = greatest(datapoints.thread_action_date, thread.latest)
         from unnest($1::bigint[]) as summarized (id)
         cross join lateral (
           select min(date_created) filter (where owner_reply) as owner_replied_at, count(*) as replies_count,
             max(date_created) as latest
           from datapoint_replies where datapoint_id = summarized.id and status = 'PUBLISHED'
         ) as thread
         where datapoints.id = summarized.id`,
});
