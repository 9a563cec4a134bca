import type { Selectable } from 'kysely';
import type { Sql } from './connection.ts';
import { db, raw } from './query-builder.ts';
import type { DB } from './schema.ts';

/** The partners that are being moved to another cell. Jobs skip them: their rows cannot be changed here. */
export async function movingPartners(sql: Sql): Promise<ReadonlySet<number>> {
  const moves = await listMoves(sql);
  return new Set(moves.flatMap(({ partnerIds }) => partnerIds));
}

/**
 * Condition of jobs that claim a limited number of due rows: rows of a moving partner stay due and would use up the limit.
 * `+ 0` hides the statistics of the column, with which the planner expects no rows if there are few partners.
 */
export const notMovingSql = (partnerId: string): string =>
  `${partnerId} + 0 <> all (array(select unnest(partner_ids) from partner_moves))`;

/** `notMovingSql` for the query builder. */
export const notMoving = (partnerId: string) => raw<boolean>`${raw.raw(notMovingSql(partnerId))}`;

type PartnerMove = Selectable<DB['partnerMoves']>;

/** The unfinished moves of root partners from this cell. */
export const listMoves = (sql: Sql): Promise<PartnerMove[]> =>
  db(sql).selectFrom('partnerMoves').selectAll().orderBy('partnerId').execute();

export const findMove = async (sql: Sql, rootId: number): Promise<PartnerMove | undefined> =>
  (await listMoves(sql)).find(({ partnerId }) => partnerId === rootId);

export async function beginMove(sql: Sql, rootId: number, targetCell: number): Promise<void> {
  await db(sql).insertInto('partnerMoves').values({ partnerId: rootId, targetCell }).execute();
}

export async function setMovingPartners(sql: Sql, rootId: number, partnerIds: readonly number[]): Promise<void> {
  await db(sql)
    .updateTable('partnerMoves')
    .set({ partnerIds: [...partnerIds] })
    .where('partnerId', '=', rootId)
    .execute();
}

export async function setMoveState(sql: Sql, rootId: number, state: 'FREEZING' | 'FROZEN' | 'MOVED'): Promise<void> {
  await db(sql)
    .updateTable('partnerMoves')
    .set({ state, ...(state === 'MOVED' && { movedAt: raw<Date>`now()` }) })
    .where('partnerId', '=', rootId)
    .execute();
}

export async function endMove(sql: Sql, rootId: number): Promise<void> {
  await db(sql).deleteFrom('partnerMoves').where('partnerId', '=', rootId).execute();
}
