import type { Sql } from '../../../database/connection.ts';
import type { DatapointFeed } from '../../listings/index.ts';
import type { FetchedDatapoint, FetchedReply, StoredDatapoint, StoredReply } from './datapoint-diff.ts';

const columnOf = { listing: 'listing_id', page: 'page_id' } as const;

export async function findStoredDatapoints(sql: Sql, { kind, id }: DatapointFeed): Promise<StoredDatapoint[]> {
  const { rows } = await sql.query<StoredDatapoint>(
    `select id, external_id as "externalId", status, rating, fingerprint from datapoints where ${columnOf[kind]} = $1`,
    [id],
  );
  return rows;
}

/** Excludes replies that were withdrawn before they were sent. */
export async function findStoredReplies(sql: Sql, { kind, id }: DatapointFeed): Promise<StoredReply[]> {
  const { rows } = await sql.query<StoredReply>(
    `select reply.id, datapoint_id as "datapointId", reply.external_id as "externalId", reply.author, reply.text,
       owner_reply as "ownerReply", reply.status
     from datapoints join datapoint_replies reply on reply.datapoint_id = datapoints.id
     where ${columnOf[kind]} = $1 and (reply.external_id is not null or reply.status <> 'DELETED')`,
    [id],
  );
  return rows;
}

/** Serializes writers of the replies of these datapoints. */
export async function lockDatapoints(sql: Sql, ids: readonly number[]): Promise<void> {
  await sql.query('select from datapoints where id = any ($1::bigint[]) order by id for no key update', [ids]);
}

/** The location must be locked: it may have moved or been deleted since the check began. */
export async function insertDatapoints(
  sql: Sql,
  place: DatapointFeed,
  fetched: readonly FetchedDatapoint[],
): Promise<{ id: number; externalId: string }[]> {
  const { rows } = await sql.query<{ id: number; externalId: string }>(
    `insert into datapoints
       (partner_id, business_id, location_id, ${columnOf[place.kind]}, directory_type, external_id, type, text,
        language, rating, author, author_image, photo_url, direct_link, action_date, thread_action_date, fingerprint,
        location_deleted)
     select $1, coalesce(location.business_id, $2), $3, $4, $5, ${fetchedColumns}, coalesce(location.status = 'DELETED', false)
     from jsonb_to_recordset($6::jsonb) as ${fetchedRecord}
     left join locations location on location.id = $3
     order by "actionDate", "externalId"
     on conflict do nothing
     returning id, external_id as "externalId"`,
    [place.partner.id, place.businessId, place.locationId, place.id, place.directoryType, JSON.stringify(fetched)],
  );
  return rows;
}

const fetchedColumns = `fetched."externalId", fetched.type, fetched.text, fetched.language, fetched.rating, fetched.author,
  fetched."authorImage", fetched."photoUrl", fetched."directLink", fetched."actionDate", fetched."threadActionDate",
  fetched.fingerprint`;

const fetchedRecord = `fetched ("externalId" text, type text, text text, language text, rating real, author text,
  "authorImage" text, "photoUrl" text, "directLink" text, "actionDate" timestamptz, "threadActionDate" timestamptz,
  fingerprint text)`;

/** A datapoint that the customer changed becomes unread. */
export async function updateDatapoints(
  sql: Sql,
  changes: readonly { id: number; fetched: FetchedDatapoint }[],
): Promise<void> {
  await sql.query(
    `update datapoints
     set type = fetched.type, text = fetched.text, language = fetched.language, rating = fetched.rating,
       author = fetched.author, author_image = fetched."authorImage", photo_url = fetched."photoUrl",
       direct_link = fetched."directLink", action_date = fetched."actionDate",
       thread_action_date = greatest(thread_action_date, fetched."threadActionDate"),
       fingerprint = fetched.fingerprint, read = false, last_updated = now()
     from unnest($1::bigint[], $2::jsonb[]) as change (id, given)
     cross join lateral jsonb_to_record(change.given) as ${fetchedRecord}
     where datapoints.id = change.id`,
    [changes.map(({ id }) => id), changes.map(({ fetched }) => JSON.stringify(fetched))],
  );
}

export async function setDatapointStatus(
  sql: Sql,
  ids: readonly number[],
  status: StoredDatapoint['status'],
): Promise<void> {
  await sql.query('update datapoints set status = $2, last_updated = now() where id = any ($1::bigint[])', [
    ids,
    status,
  ]);
}

export async function insertReplies(
  sql: Sql,
  replies: readonly { datapointId: number; fetched: FetchedReply }[],
): Promise<void> {
  await sql.query(
    `insert into datapoint_replies (datapoint_id, external_id, author, text, owner_reply, date_created)
     select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::timestamptz[])
     on conflict do nothing`,
    [replies.map(({ datapointId }) => datapointId), ...replyColumns(replies)],
  );
}

/** Also restores replies that were deleted. */
export async function updateReplies(
  sql: Sql,
  replies: readonly { id: number; fetched: FetchedReply }[],
): Promise<void> {
  await sql.query(
    `update datapoint_replies reply
     set external_id = fetched.external_id, author = fetched.author, text = fetched.text, owner_reply = fetched.owner_reply,
       date_created = fetched.date, status = 'PUBLISHED', message = null, sending_until = null, last_updated = now()
     from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::timestamptz[])
       as fetched (id, external_id, author, text, owner_reply, date)
     where reply.id = fetched.id`,
    [replies.map(({ id }) => id), ...replyColumns(replies)],
  );
}

const replyColumns = (replies: readonly { fetched: FetchedReply }[]) => [
  replies.map(({ fetched }) => fetched.externalId),
  replies.map(({ fetched }) => fetched.author),
  replies.map(({ fetched }) => fetched.text),
  replies.map(({ fetched }) => fetched.ownerReply),
  replies.map(({ fetched }) => fetched.date),
];

export async function setReplyStatus(sql: Sql, ids: readonly number[], status: 'PUBLISHED' | 'DELETED'): Promise<void> {
  await sql.query('update datapoint_replies set status = $2, last_updated = now() where id = any ($1::bigint[])', [
    ids,
    status,
  ]);
}

/** Updates the derived columns of the datapoint: reply count, first owner reply, last activity. */
export async function summarizeThreads(sql: Sql, ids: readonly number[]): Promise<void> {
  await sql.query(
    `update datapoints
     set owner_replied_at = thread.owner_replied_at, replies_count = thread.replies_count,
       thread_action_date = greatest(datapoints.thread_action_date, thread.latest)
     from unnest($1::bigint[]) as summarized (id)
     cross join lateral (
       select min(date_created) filter (where owner_reply) as owner_replied_at, count(*) as replies_count,
         max(date_created) as latest
       from datapoint_replies where datapoint_id = summarized.id and status = 'PUBLISHED'
     ) as thread
     where datapoints.id = summarized.id`,
    [ids],
  );
}
