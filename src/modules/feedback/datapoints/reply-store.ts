import { processId } from '../../../database/client.ts';
import type { Sql } from '../../../database/connection.ts';
import type { Reply, ReplyStatus } from './reply.ts';

const columns = `id, datapoint_id as "datapointId", external_id as "externalId", author, text,
  owner_reply as "ownerReply", status, message, created_by as "createdBy", approved_by as "approvedBy",
  tries, date_created as "dateCreated", last_updated as "lastUpdated"`;

/** Replies by datapoint, oldest first, without deleted ones. */
export async function repliesOf(sql: Sql, datapointIds: readonly number[]): Promise<Map<number, Reply[]>> {
  const { rows } = await sql.query<Reply>({
    name: 'replies-of',
    text: `select ${columns} from datapoint_replies
           where datapoint_id = any ($1::bigint[]) and status <> 'DELETED' order by datapoint_id, date_created, id`,
    values: [datapointIds],
  });
  return Map.groupBy(rows, ({ datapointId }) => datapointId);
}

/** Locks the reply until the transaction ends. */
export async function lockReply(sql: Sql, datapointId: number, id: number): Promise<Reply | undefined> {
  const { rows } = await sql.query<Reply>(
    `select ${columns} from datapoint_replies
     where id = $2 and datapoint_id = $1 and status <> 'DELETED' for update`,
    [datapointId, id],
  );
  return rows[0];
}

/** Owner replies that are published or pending. */
export async function countOwnerReplies(sql: Sql, datapointId: number): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `select count(*) from datapoint_replies
     where datapoint_id = $1 and owner_reply and status not in ('DELETED', 'FAILED')`,
    [datapointId],
  );
  return rows[0]?.count ?? 0;
}

export async function insertReply(
  sql: Sql,
  reply: { datapointId: number; author: string; text: string; createdBy: string; status: ReplyStatus },
): Promise<Reply> {
  const { rows } = await sql.query<Reply>(
    `insert into datapoint_replies (datapoint_id, author, text, owner_reply, status, created_by)
     values ($1, $2, $3, true, $4, $5) returning ${columns}`,
    [reply.datapointId, reply.author, reply.text, reply.status, reply.createdBy],
  );
  return rows[0] as Reply;
}

export async function updateReply(
  sql: Sql,
  id: number,
  change: { status: ReplyStatus; text?: string; approvedBy?: string },
): Promise<Reply> {
  const { rows } = await sql.query<Reply>(
    `update datapoint_replies
     set status = $2, text = coalesce($3, text), approved_by = coalesce($4, approved_by), message = null, tries = 0,
       last_updated = now()
     where id = $1 returning ${columns}`,
    [id, change.status, change.text, change.approvedBy],
  );
  return rows[0] as Reply;
}

export interface Dispatch {
  id: number;
  text: string;
  /** Earlier attempts without a response. */
  tries: number;
  datapointId: number;
  datapointExternalId: string;
  directoryType: string;
}

/** Claims a scheduled reply under a lease. A SENDING reply is claimed only after its lease has expired. */
export async function claimReply(sql: Sql, id: number, leaseSeconds: number): Promise<Dispatch | undefined> {
  const { rows } = await sql.query<Dispatch>(
    `update datapoint_replies reply
     set status = 'SENDING', tries = tries + 1, sending_until = now() + make_interval(secs => $2),
       sending_process = $3
     from datapoints datapoint
     where reply.id = $1 and datapoint.id = reply.datapoint_id
       and (reply.status = 'SCHEDULED' or (reply.status = 'SENDING' and reply.sending_until < now()))
     returning reply.id, reply.text, reply.tries - 1 as tries, datapoint.id as "datapointId",
       datapoint.external_id as "datapointExternalId", datapoint.directory_type as "directoryType"`,
    [id, leaseSeconds, processId],
  );
  return rows[0];
}

/** Releases the replies of crashed processes. The idempotency key of a reply prevents duplicates. */
export async function releaseRepliesOf(sql: Sql, processIds: readonly number[]): Promise<void> {
  await sql.query(
    `update datapoint_replies set sending_until = now()
     where sending_process = any ($1) and status = 'SENDING' and sending_until > now()`,
    [processIds],
  );
}

/** When the current lease ends; undefined if the reply is not being sent. */
export async function sendingUntil(sql: Sql, id: number): Promise<Date | undefined> {
  const { rows } = await sql.query<{ until: Date }>(
    `select sending_until as until from datapoint_replies where id = $1 and status = 'SENDING'`,
    [id],
  );
  return rows[0]?.until;
}

/** A check may already have stored the published reply as a new one: that row is deleted. */
export async function publishReply(sql: Sql, { id, datapointId }: Dispatch, externalId: string): Promise<void> {
  await sql.query('delete from datapoint_replies where datapoint_id = $1 and external_id = $2 and id <> $3', [
    datapointId,
    externalId,
    id,
  ]);
  await sql.query(
    `update datapoint_replies
     set status = 'PUBLISHED', external_id = $2, message = null, sending_until = null, last_updated = now()
     where id = $1 and status <> 'PUBLISHED'`,
    [id, externalId],
  );
}

export async function settleUnsentReply(
  sql: Sql,
  id: number,
  outcome: { status: 'SCHEDULED' | 'FAILED'; message: string; tries: number },
): Promise<void> {
  await sql.query(
    `update datapoint_replies
     set status = $2, message = $3, tries = $4, sending_until = null, last_updated = now()
     where id = $1 and status = 'SENDING'`,
    [id, outcome.status, outcome.message, outcome.tries],
  );
}
