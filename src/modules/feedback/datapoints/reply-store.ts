import { processId } from '../../../database/client.ts';
import type { Sql } from '../../../database/connection.ts';
import { countAll } from '../../../database/counting.ts';
import { anyOf, db, inSeconds, raw } from '../../../database/query-builder.ts';
import { defineStatement, run, type Statement, selectionOf } from '../../../database/statement.ts';
import { type DatapointCheckState, findListingCheckState } from '../../listings/index.ts';
import { findPageCheckState } from '../brand-pages/brand-page-store.ts';
import type { Datapoint, DatapointType, Reply } from './datapoint.ts';

const columnTypes: Statement<Reply>['columns'] = {
  id: 'int8',
  datapointId: 'int8',
  externalId: 'text',
  author: 'text',
  text: 'text',
  ownerReply: 'bool',
  status: 'text',
  message: 'text',
  createdBy: 'text',
  approvedBy: 'text',
  tries: 'int2',
  dateCreated: 'timestamptz',
  lastUpdated: 'timestamptz',
};
const columns = Object.keys(columnTypes) as (keyof Reply)[];

type Narrowed = Pick<Reply, 'status'>;

const now = raw<Date>`now()`;

/** Replies by datapoint, oldest first, without deleted ones. */
export async function repliesOf(sql: Sql, datapointIds: readonly number[]): Promise<Map<number, Reply[]>> {
  return Map.groupBy(await run(sql, selectReplies, [datapointIds]), ({ datapointId }) => datapointId);
}

const selectReplies = defineStatement<Reply>({
  name: 'replies-of',
  text: `select ${selectionOf(columnTypes)} from datapoint_replies
         where datapoint_id = any ($1::bigint[]) and status <> 'DELETED' order by datapoint_id, date_created, id`,
  columns: columnTypes,
});

/** Locks the reply until the transaction ends. */
export function lockReply(sql: Sql, datapointId: number, id: number): Promise<Reply | undefined> {
  return db(sql)
    .selectFrom('datapointReplies')
    .select(columns)
    .where('id', '=', id)
    .where('datapointId', '=', datapointId)
    .where('status', '<>', 'DELETED')
    .forUpdate()
    .$narrowType<Narrowed>()
    .executeTakeFirst();
}

/** A check that is recorded this long after an attempt has begun after it. */
export const confirmationSeconds = 120;

/**
 * Whether the directory may have published a reply that failed or was withdrawn: no response, and no check of the
 * datapoint since.
 */
export const isUnconfirmed = (
  { status, tries, lastUpdated }: Pick<Reply, 'status' | 'tries' | 'lastUpdated'>,
  checkedAt: Date | null,
): boolean =>
  (status === 'FAILED' || status === 'DELETED') &&
  tries > 0 &&
  (checkedAt === null || checkedAt.getTime() - lastUpdated.getTime() < confirmationSeconds * 1000);

/** Owner replies that are or may be published, or are pending, without the reply `exceptId`. */
export async function findCountedReplies(
  sql: Sql,
  datapointId: number,
  { exceptId = 0, checkedAt }: { exceptId?: number | undefined; checkedAt: Date | null },
): Promise<Pick<Reply, 'id' | 'status'>[]> {
  const replies = await db(sql)
    .selectFrom('datapointReplies')
    .select(['id', 'status', 'tries', 'lastUpdated'])
    .where('datapointId', '=', datapointId)
    .where('id', '<>', exceptId)
    .where('ownerReply', '=', true)
    .where(({ eb, or }) => or([eb('status', '<>', 'DELETED'), eb('externalId', 'is', null)]))
    .$narrowType<Narrowed>()
    .execute();
  const isUnpublished = ({ status }: Narrowed) => status === 'FAILED' || status === 'DELETED';
  return replies.filter((reply) => !isUnpublished(reply) || isUnconfirmed(reply, checkedAt));
}

export const countPublishedReplies = (sql: Sql, datapointId: number): Promise<number> =>
  countAll(
    db(sql)
      .selectFrom('datapointReplies')
      .where('datapointId', '=', datapointId)
      .where('ownerReply', '=', true)
      .where('status', '=', 'PUBLISHED'),
  );

export function insertReply(
  sql: Sql,
  reply: Pick<Reply, 'datapointId' | 'author' | 'text' | 'createdBy' | 'status'>,
): Promise<Reply> {
  return db(sql)
    .insertInto('datapointReplies')
    .values({ ...reply, ownerReply: true })
    .returning(columns)
    .$narrowType<Narrowed>()
    .executeTakeFirstOrThrow();
}

export function updateReply(
  sql: Sql,
  id: number,
  change: Pick<Reply, 'status'> & Partial<Pick<Reply, 'text' | 'approvedBy' | 'tries'>>,
): Promise<Reply> {
  return db(sql)
    .updateTable('datapointReplies')
    .set({ tries: 0, ...change, message: null, lastUpdated: now })
    .where('id', '=', id)
    .returning(columns)
    .$narrowType<Narrowed>()
    .executeTakeFirstOrThrow();
}

/** Of the listing or brand page of the datapoint. */
export async function checkStateOf(
  sql: Sql,
  { listingId, pageId }: Pick<Datapoint, 'listingId' | 'pageId'>,
): Promise<DatapointCheckState> {
  const state = listingId ? await findListingCheckState(sql, listingId) : await findPageCheckState(sql, pageId ?? 0);
  return state ?? { isCurrent: false, isLinkLost: false, checkedAt: null };
}

export type Dispatch = NonNullable<Awaited<ReturnType<typeof claimReply>>>;

/**
 * Claims a scheduled reply under a lease. A SENDING reply is claimed only after its lease has expired. `tries`: earlier
 * attempts without a response.
 */
export function claimReply(sql: Sql, id: number, leaseSeconds: number) {
  return db(sql)
    .updateTable('datapointReplies as reply')
    .from('datapoints as datapoint')
    .set({ status: 'SENDING', sendingUntil: inSeconds(leaseSeconds), sendingProcess: processId })
    .set('tries', (eb) => eb('reply.tries', '+', 1))
    .where('reply.id', '=', id)
    .whereRef('datapoint.id', '=', 'reply.datapointId')
    .where(({ eb, or, and }) =>
      or([
        eb('reply.status', '=', 'SCHEDULED'),
        and([eb('reply.status', '=', 'SENDING'), eb('reply.sendingUntil', '<', now)]),
      ]),
    )
    .returning((eb) => [
      'reply.id',
      'reply.text',
      eb('reply.tries', '-', 1).as('tries'),
      'datapoint.id as datapointId',
      'datapoint.externalId as datapointExternalId',
      'datapoint.status as datapointStatus',
      'datapoint.type as datapointType',
      'datapoint.partnerId',
      'datapoint.directoryType',
      'datapoint.listingId',
      'datapoint.pageId',
    ])
    .$narrowType<{ datapointType: DatapointType }>()
    .executeTakeFirst();
}

/** Releases the replies of crashed processes. The idempotency key of a reply prevents duplicates. */
export async function releaseRepliesOf(sql: Sql, processIds: readonly number[]): Promise<void> {
  await db(sql)
    .updateTable('datapointReplies')
    .set({ sendingUntil: now })
    .where('sendingProcess', '=', anyOf(processIds, 'bigint'))
    .where('status', '=', 'SENDING')
    .where('sendingUntil', '>', now)
    .execute();
}

/** When the current lease ends; undefined if the reply is not being sent. */
export async function sendingUntil(sql: Sql, id: number): Promise<Date | undefined> {
  const reply = await db(sql)
    .selectFrom('datapointReplies')
    .select('sendingUntil')
    .where('id', '=', id)
    .where('status', '=', 'SENDING')
    .executeTakeFirst();
  return reply?.sendingUntil ?? undefined;
}

/**
 * The reply gets the date of its publication. A check may already have stored the published reply as a new one: that row
 * is deleted.
 */
export async function publishReply(sql: Sql, { id, datapointId }: Dispatch, externalId: string): Promise<void> {
  await db(sql)
    .deleteFrom('datapointReplies')
    .where('datapointId', '=', datapointId)
    .where('externalId', '=', externalId)
    .where('id', '<>', id)
    .execute();
  await db(sql)
    .updateTable('datapointReplies')
    .set({ status: 'PUBLISHED', externalId, message: null, sendingUntil: null, dateCreated: now, lastUpdated: now })
    .where('id', '=', id)
    .where('status', '<>', 'PUBLISHED')
    .execute();
}

export async function settleUnsentReply(
  sql: Sql,
  id: number,
  { status, message, tries }: { status: 'SCHEDULED' | 'FAILED'; message: string; tries: number },
): Promise<void> {
  await db(sql)
    .updateTable('datapointReplies')
    .set({ status, message, tries, sendingUntil: null, lastUpdated: now })
    .where('id', '=', id)
    .where('status', '=', 'SENDING')
    .execute();
}
