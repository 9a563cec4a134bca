import type { Sql } from '../../../../database/connection.ts';
import { notMoving } from '../../../../database/partner-moves.ts';
import { anyOf, db } from '../../../../database/query-builder.ts';
import { defineStatement, run } from '../../../../database/statement.ts';
import { fullReach } from '../../../../http/access.ts';
import { daysAfter, type Group, periodOf, type Span } from '../../../../values/span.ts';
import { listLocationIds, maxLocations, type Scope } from '../../../locations/index.ts';

/** The tables that contain the figures of a scope. */
export interface FeedbackSource {
  partnerId: number;
  /** Businesses with roll-ups; 0 is the whole partner. */
  owners: readonly number[];
  /** Locations whose datapoints are counted individually. */
  locationIds: readonly number[];
}

/** Small businesses have no roll-up, because counting their datapoints is fast. */
export async function feedbackSource(sql: Sql, scope: Scope): Promise<FeedbackSource> {
  const { partnerId } = scope;
  if (scope.kind === 'partner') return { partnerId, owners: [0], locationIds: [] };
  if (scope.kind === 'locations') return { partnerId, owners: [], locationIds: scope.locationIds };
  const owners = await findRolledUpBusinesses(sql, scope.businessIds);
  const rolledUp = new Set(owners);
  const businessIds = scope.businessIds.filter((id) => !rolledUp.has(id));
  const locationIds =
    businessIds.length > 0
      ? await listLocationIds(sql, { partnerId, reach: fullReach, filter: { businessIds } }, maxLocations)
      : [];
  return { partnerId, owners, locationIds };
}

/** A day (D) or month (M) of a roll-up and its period; null without grouping. */
interface Cell {
  grain: 'D' | 'M';
  start: string;
  period: string | null;
}

/** Splits a span into whole months and the remaining days. Groups shorter than a month use days only. */
export function cellsOf({ from, to }: Span, group?: Group): Cell[] {
  const usesMonths = group !== 'DAY' && group !== 'WEEK';
  const afterMonths = periodOf(daysAfter(to, 1), 'MONTH');
  const cells: Cell[] = [];
  for (let start = from; start <= to; ) {
    const isMonth = usesMonths && start.endsWith('-01') && start < afterMonths;
    cells.push({ grain: isMonth ? 'M' : 'D', start, period: group ? periodOf(start, group) : null });
    start = isMonth ? periodOf(daysAfter(start, 31), 'MONTH') : daysAfter(start, 1);
  }
  return cells;
}

/** Returns the number of folded deltas, or null if another process is folding. */
export async function foldDeltas(sql: Sql, limit: number): Promise<number | null> {
  return (await run(sql, fold, [limit]))[0]?.folded ?? null;
}

const fold = defineStatement<{ folded: number | null }>({
  name: 'fold-feedback',
  text: 'select fold_feedback($1) as folded',
  columns: { folded: 'int4' },
});

async function findRolledUpBusinesses(sql: Sql, ids: readonly number[]): Promise<number[]> {
  const found = await db(sql)
    .selectFrom('feedbackBusinesses')
    .select('businessId')
    .where('businessId', '=', anyOf(ids, 'bigint'))
    .orderBy('businessId')
    .execute();
  return found.map(({ businessId }) => businessId);
}

export async function findBusinessesToRollUp(sql: Sql, locations: number, limit: number): Promise<number[]> {
  const found = await db(sql)
    .selectFrom('locations')
    .select('businessId')
    .where('status', '<>', 'DELETED')
    .where(notMoving('partner_id'))
    .groupBy('businessId')
    .having(({ fn }) => fn.countAll(), '>=', locations)
    .except(({ selectFrom }) => selectFrom('feedbackBusinesses').select('businessId'))
    .limit(limit)
    .execute();
  return found.map(({ businessId }) => businessId);
}

export async function beginRollUp(sql: Sql, businessId: number): Promise<void> {
  await run(sql, begin, [businessId]);
}

const begin = defineStatement({
  name: 'begin-feedback-business',
  text: 'select from begin_feedback_business($1)',
});
