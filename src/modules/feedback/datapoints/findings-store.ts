import type { Sql } from '../../../database/connection.ts';
import type { Place } from '../../listings/index.ts';
import type { KnownDatapoint, KnownReply, ShownDatapoint, ShownReply } from './findings.ts';

/** What checks write, each in one statement however much was found. */

const columnOf = { listing: 'listing_id', page: 'page_id' } as const;

export async function knownDatapoints(sql: Sql, { kind, id }: Place): Promise<KnownDatapoint[]> {
  const { rows } = await sql.query<KnownDatapoint>(
    `select id, external_id as "externalId", status, rating, fingerprint from datapoints where ${columnOf[kind]} = $1`,
    [id],
  );
  return rows;
}

/** Those that directories have or may soon have; what was withdrawn before it was sent is not among them. */
export async function knownReplies(sql: Sql, { kind, id }: Place): Promise<KnownReply[]> {
  const { rows } = await sql.query<KnownReply>(
    `select reply.id, datapoint_id as "datapointId", reply.external_id as "externalId", reply.author, reply.text,
       owner_reply as "ownerReply", reply.status
     from datapoints join datapoint_replies reply on reply.datapoint_id = datapoints.id
     where ${columnOf[kind]} = $1 and (reply.external_id is not null or reply.status <> 'DELETED')`,
    [id],
  );
  return rows;
}

/** Whoever writes replies of these datapoints waits until this transaction has ended. */
export async function lockDatapoints(sql: Sql, ids: readonly number[]): Promise<void> {
  await sql.query('select from datapoints where id = any ($1::bigint[]) order by id for no key update', [ids]);
}

/** Of a location that is held: it may have moved, or been deleted, since the check began. */
export async function insertDatapoints(
  sql: Sql,
  place: Place,
  shown: readonly ShownDatapoint[],
): Promise<{ id: number; externalId: string }[]> {
  const { rows } = await sql.query<{ id: number; externalId: string }>(
    `insert into datapoints
       (partner_id, business_id, location_id, ${columnOf[place.kind]}, directory_type, external_id, type, text,
        language, rating, author, author_image, photo_url, direct_link, action_date, thread_action_date, fingerprint,
        location_deleted)
     select $1, coalesce(location.business_id, $2), $3, $4, $5, ${shownColumns}, coalesce(location.status = 'DELETED', false)
     from jsonb_to_recordset($6::jsonb) as ${shownRecord}
     left join locations location on location.id = $3
     order by "actionDate", "externalId"
     on conflict do nothing
     returning id, external_id as "externalId"`,
    [place.partner.id, place.businessId, place.locationId, place.id, place.directoryType, JSON.stringify(shown)],
  );
  return rows;
}

const shownColumns = `shown."externalId", shown.type, shown.text, shown.language, shown.rating, shown.author,
  shown."authorImage", shown."photoUrl", shown."directLink", shown."actionDate", shown."threadActionDate",
  shown.fingerprint`;

const shownRecord = `shown ("externalId" text, type text, text text, language text, rating real, author text,
  "authorImage" text, "photoUrl" text, "directLink" text, "actionDate" timestamptz, "threadActionDate" timestamptz,
  fingerprint text)`;

/** What a customer changed is unread again. */
export async function updateDatapoints(
  sql: Sql,
  changes: readonly { id: number; shown: ShownDatapoint }[],
): Promise<void> {
  await sql.query(
    `update datapoints
     set type = shown.type, text = shown.text, language = shown.language, rating = shown.rating,
       author = shown.author, author_image = shown."authorImage", photo_url = shown."photoUrl",
       direct_link = shown."directLink", action_date = shown."actionDate",
       thread_action_date = greatest(thread_action_date, shown."threadActionDate"),
       fingerprint = shown.fingerprint, read = false, last_updated = now()
     from unnest($1::bigint[], $2::jsonb[]) as change (id, given)
     cross join lateral jsonb_to_record(change.given) as ${shownRecord}
     where datapoints.id = change.id`,
    [changes.map(({ id }) => id), changes.map(({ shown }) => JSON.stringify(shown))],
  );
}

export async function setDatapointStatus(
  sql: Sql,
  ids: readonly number[],
  status: KnownDatapoint['status'],
): Promise<void> {
  await sql.query('update datapoints set status = $2, last_updated = now() where id = any ($1::bigint[])', [
    ids,
    status,
  ]);
}

export async function insertReplies(
  sql: Sql,
  replies: readonly { datapointId: number; shown: ShownReply }[],
): Promise<void> {
  await sql.query(
    `insert into datapoint_replies (datapoint_id, external_id, author, text, owner_reply, date_created)
     select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::timestamptz[])
     on conflict do nothing`,
    [replies.map(({ datapointId }) => datapointId), ...replyColumns(replies)],
  );
}

/** Shows the replies as the directory does; one that was gone is back. */
export async function updateReplies(sql: Sql, replies: readonly { id: number; shown: ShownReply }[]): Promise<void> {
  await sql.query(
    `update datapoint_replies reply
     set external_id = shown.external_id, author = shown.author, text = shown.text, owner_reply = shown.owner_reply,
       date_created = shown.date, status = 'PUBLISHED', message = null, sending_until = null, last_updated = now()
     from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::timestamptz[])
       as shown (id, external_id, author, text, owner_reply, date)
     where reply.id = shown.id`,
    [replies.map(({ id }) => id), ...replyColumns(replies)],
  );
}

const replyColumns = (replies: readonly { shown: ShownReply }[]) => [
  replies.map(({ shown }) => shown.externalId),
  replies.map(({ shown }) => shown.author),
  replies.map(({ shown }) => shown.text),
  replies.map(({ shown }) => shown.ownerReply),
  replies.map(({ shown }) => shown.date),
];

export async function setReplyStatus(sql: Sql, ids: readonly number[], status: 'PUBLISHED' | 'DELETED'): Promise<void> {
  await sql.query('update datapoint_replies set status = $2, last_updated = now() where id = any ($1::bigint[])', [
    ids,
    status,
  ]);
}

/** What a datapoint knows about its thread: how many replies, when the owner first answered, when anything happened. */
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
