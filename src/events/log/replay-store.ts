import Type from 'typebox';
import type { Sql } from '../../database/connection.ts';
import { countAll } from '../../database/counting.ts';
import { db, raw } from '../../database/query-builder.ts';
import { defineStatement, run, textList } from '../../database/statement.ts';
import type { PageQuery } from '../../http/pagination.ts';
import { fieldNames } from '../../http/record-response.ts';
import { defineJob } from '../../jobs/job.ts';
import { openTaskStatuses, type Task } from '../../jobs/tasks/task.ts';
import { type ReplayableState, type ReplayRequest, ReplayResponse } from './replay.ts';

const openStatuses = raw.raw<string>(textList(openTaskStatuses));

const { progress: _, ...storedFields } = ReplayResponse.properties;

const replaysOf = (sql: Sql, webhookId: number) =>
  db(sql)
    .selectFrom('replays')
    .crossJoinLateral(({ ref, selectFrom }) =>
      selectFrom('attempts')
        .select(({ fn }) => [
          fn.countAll<number>().filterWhere('verdict', '=', 'DELIVERED').as('delivered'),
          fn.countAll<number>().filterWhere('verdict', '=', 'DISCARDED').as('failed'),
        ])
        .whereRef('replayId', '=', 'replays.id')
        .where('startedAt', '>', raw<Date>`${ref('replays.dateCreated')} - interval '1 hour'`)
        .as('counted'),
    )
    .select(fieldNames(Type.Object(storedFields)))
    .where('webhookId', '=', webhookId)
    .$narrowType<{ status: Task['status']; states: ReplayableState[] }>();

export type Replay = NonNullable<Awaited<ReturnType<typeof findReplay>>>;

export const findReplay = (sql: Sql, webhookId: number, id: number) =>
  replaysOf(sql, webhookId).where('id', '=', id).executeTakeFirst();

/** Newest first. */
export function listReplays(sql: Sql, webhookId: number, { offset, max, after }: PageQuery): Promise<Replay[]> {
  let replays = replaysOf(sql, webhookId);
  if (after !== undefined) replays = replays.where('id', '<', after);
  return replays.orderBy('id', 'desc').offset(offset).limit(max).execute();
}

export const countReplays = (sql: Sql, webhookId: number): Promise<number> =>
  countAll(db(sql).selectFrom('replays').where('webhookId', '=', webhookId));

export async function findRunningReplayId(sql: Sql, webhookId: number): Promise<number | undefined> {
  const replay = await db(sql)
    .selectFrom('replays')
    .select('id')
    .where('webhookId', '=', webhookId)
    .where('status', 'in', openStatuses)
    .executeTakeFirst();
  return replay?.id;
}

export async function insertReplay(
  sql: Sql,
  webhookId: number,
  { since, until, states, ratePerSecond }: ReplayRequest,
  total: number,
): Promise<number> {
  const { id } = await db(sql)
    .insertInto('replays')
    .values({ webhookId, status: 'CREATED', since, until, states, ratePerSecond, total })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export const replayJob = defineJob<{ replayId: number; partnerId: number }>('replay', {
  key: ({ replayId }) => `replay-${replayId}`,
  maxAttempts: 25,
});

const runningReplay = (sql: Sql, id: number) =>
  db(sql)
    .selectFrom('replays')
    .innerJoin('webhooks', 'webhooks.id', 'webhookId')
    .select(({ eb, fn, ref, selectFrom }) => [
      'replays.id',
      'webhookId',
      'partnerId',
      'since',
      'until',
      'states',
      'ratePerSecond',
      'afterEventId',
      // Due time of the next delivery that is queued.
      raw<Date>`greatest(now(), ${ref('nextDueAt')})`.as('nextDueAt'),
      eb('deletedAt', 'is not', null).as('webhookDeleted'),
      // Queued deliveries without an attempt in this replay.
      selectFrom('deliveryQueue')
        .select(fn.countAll<number>().as('count'))
        .whereRef('replayId', '=', 'replays.id')
        .where('tries', '=', 0)
        .as('unsent'),
    ])
    .where('replays.id', '=', id)
    .where('status', 'in', openStatuses)
    .$narrowType<{ states: ReplayableState[]; webhookDeleted: boolean; unsent: number }>();

/** Undefined if the replay has ended. */
export const findRunningReplay = (sql: Sql, id: number) => runningReplay(sql, id).executeTakeFirst();

export const lockRunningReplay = (sql: Sql, id: number) =>
  runningReplay(sql, id).forUpdate('replays').executeTakeFirst();

export type RunningReplay = NonNullable<Awaited<ReturnType<typeof lockRunningReplay>>>;

export async function advanceReplay(
  sql: Sql,
  id: number,
  { queued, afterEventId, nextDueAt }: { queued: number; afterEventId: number; nextDueAt: Date },
): Promise<void> {
  await db(sql)
    .updateTable('replays')
    .set((eb) => ({ status: 'RUNNING', queued: eb('queued', '+', queued), afterEventId, nextDueAt }))
    .where('id', '=', id)
    .execute();
}

export async function endReplay(
  sql: Sql,
  id: number,
  status: 'FINISHED' | 'CANCELLED' | 'FAILED',
  error: string | null = null,
): Promise<void> {
  await db(sql)
    .updateTable('replays')
    .set({ status, error, dateFinished: raw<Date>`now()` })
    .where('id', '=', id)
    .where('status', 'in', openStatuses)
    .execute();
}

export async function hasQueuedDeliveries(sql: Sql, id: number): Promise<boolean> {
  const delivery = await db(sql)
    .selectFrom('deliveryQueue')
    .select('eventId')
    .where('replayId', '=', id)
    .limit(1)
    .executeTakeFirst();
  return delivery !== undefined;
}

/** Deletes queued deliveries without an attempt. A locked row is being settled, so it is skipped. */
export async function deleteUnsent(sql: Sql, id: number): Promise<void> {
  await run(sql, deleteUnsentStatement, [id]);
}

const deleteUnsentStatement = defineStatement({
  name: 'delete-unsent-of-replay',
  text: `
    with unsent as (
      select event_id, webhook_id from delivery_queue where replay_id = $1 and tries = 0 for update skip locked
    ), deleted as (
      delete from delivery_queue queue using unsent
      where queue.event_id = unsent.event_id and queue.webhook_id = unsent.webhook_id
      returning 1
    )
    update replays set queued = queued - (select count(*) from deleted) where id = $1
  `,
});
