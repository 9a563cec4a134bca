import type { Sql } from '../../../../database/connection.ts';
import { columnsOf } from '../../../../database/statement.ts';
import { once } from '../../../../values/single-flight.ts';
import { daysAfter, lengthOf, periodOf, previousSpan, type Span } from '../../../../values/span.ts';
import type { Scope } from '../../../locations/index.ts';
import { defineStatementsByScope, runForScope, type ScopeKind, scopeConditions } from '../roll-up.ts';
import { eachDay } from './insight-figures.ts';

export interface Availability {
  directoryType: string;
  availableFrom: string;
  /** Last day with data of at least one location. */
  availableUntil: string;
  /** Last day with data of as many listings as the days before it. */
  countedUntil: string;
}

/** Listings are collected individually, so the newest days are incomplete. */
const completeShare = 0.9;
/** Number of days to compare with; limits the effect of listings that stopped counting. */
const comparedDays = 3;

/** Directories without data are omitted. */
export async function dataAvailability(
  sql: Sql,
  scope: Scope,
  directoryTypes: readonly string[],
): Promise<Availability[]> {
  const spans = await runForScope(sql, firstAndLastMonths, scope, [directoryTypes]);
  const known = new KnownDays();
  await known.read(
    sql,
    scope,
    spans.flatMap(({ directoryType, first, last }) =>
      [...new Set([first, last])].map((month) => ({ directoryType, month })),
    ),
  );
  const found = spans.flatMap(({ directoryType, first, last }) => {
    const availableFrom = known.first(directoryType, first);
    const availableUntil = known.last(directoryType, last);
    return availableFrom && availableUntil ? [{ directoryType, availableFrom, availableUntil }] : [];
  });
  await known.read(
    sql,
    scope,
    found.map(({ directoryType, availableUntil }) => ({
      directoryType,
      month: periodOf(daysAfter(availableUntil, -2 * comparedDays), 'MONTH'),
    })),
  );
  return directoryTypes.flatMap((type) => {
    const one = found.find(({ directoryType }) => directoryType === type);
    return one ? [{ ...one, countedUntil: completeDay(one, (day) => known.count(type, day)) }] : [];
  });
}

/** Falls back to the last day with data. */
function completeDay(
  { availableFrom, availableUntil }: Pick<Availability, 'availableFrom' | 'availableUntil'>,
  countOf: (day: string) => number,
): string {
  const before = (day: string) =>
    Array.from({ length: comparedDays }, (_, index) => countOf(daysAfter(day, -1 - index)));
  for (let ago = 0; ago <= comparedDays; ago++) {
    const day = daysAfter(availableUntil, -ago);
    if (day < availableFrom) break;
    if (countOf(day) > 0 && countOf(day) >= completeShare * Math.max(...before(day))) return day;
  }
  return availableUntil;
}

/** Number of known counts by directory and day, in the months that were read. */
class KnownDays {
  readonly #months = new Map<string, readonly number[]>();

  async read(sql: Sql, scope: Scope, months: readonly { directoryType: string; month: string }[]): Promise<void> {
    const missing = months.filter(({ directoryType, month }) => !this.#months.has(`${directoryType} ${month}`));
    if (missing.length === 0) return;
    const values = columnsOf(missing, 'directoryType', 'month');
    for (const { directoryType, month, known } of await runForScope(sql, knownDaysOfMonths, scope, values)) {
      this.#months.set(`${directoryType} ${month}`, known);
    }
  }

  first(directoryType: string, month: string): string | undefined {
    return dayAt(month, this.#of(directoryType, month).findIndex(isKnown));
  }

  last(directoryType: string, month: string): string | undefined {
    return dayAt(month, this.#of(directoryType, month).findLastIndex(isKnown));
  }

  count(directoryType: string, day: string): number {
    return this.#of(directoryType, periodOf(day, 'MONTH'))[Number(day.slice(8)) - 1] ?? 0;
  }

  #of(directoryType: string, month: string): readonly number[] {
    return this.#months.get(`${directoryType} ${month}`) ?? [];
  }
}

const isKnown = (count: number) => count > 0;
const dayAt = (month: string, index: number) => (index < 0 ? undefined : daysAfter(month, index));

interface KnownMonths {
  directoryType: string;
  /** First day of the month. */
  first: string;
  last: string;
}

/** First and last month with data, by directory. */
const firstAndLastMonths = defineStatementsByScope<KnownMonths>(
  'find-insight-months',
  { directoryType: 'text', first: 'text', last: 'text' },
  (kind) => `
    select directory_type, to_char(min(first), 'YYYY-MM-DD') as first, to_char(max(last), 'YYYY-MM-DD') as last
    from (${monthsWithData(kind)}) as known
    group by directory_type`,
);

function monthsWithData(kind: ScopeKind): string {
  if (kind === 'locations') {
    // Reads both ends of the index per listing, regardless of the number of months.
    return `
      select directory.type as directory_type, first, last
      from unnest($1::text[]) as directory (type) cross join unnest($2::bigint[]) as location (id)
      cross join lateral (
        select min(month) as first, max(month) as last from insights
        where location_id = location.id and directory_type = directory.type
      ) as ends
      where first is not null`;
  }
  const { figures, deltas } = scopeConditions(kind, 2);
  return `
    select directory_type, month as first, month as last from (
      select directory_type, month, known_days from insight_figures
      where ${figures} and directory_type = any ($1::text[])
      union all
      select directory_type, month, sign * cardinality(array_remove(counts, null)) from insight_deltas
      where ${deltas} and directory_type = any ($1::text[])
    ) as counted
    group by directory_type, month having sum(known_days) > 0`;
}

interface MonthOfKnownDays {
  directoryType: string;
  month: string;
  /** Number of known counts by day of the month. */
  known: number[];
}

const knownDaysOfMonths = defineStatementsByScope<MonthOfKnownDays>(
  'count-known-insight-days',
  { directoryType: 'text', month: 'text', known: 'int8[]' },
  (kind) => `
    select directory_type, to_char(month, 'YYYY-MM-DD') as month,
      ${eachDay((day) => `coalesce(sum(known[${day}]), 0)::bigint`)} as known
    from (${knownIn(kind)}) as counted
    group by directory_type, counted.month`,
);

/** Aggregated by element before building the array, which would otherwise be built per row. */
function knownIn(kind: ScopeKind): string {
  const months = (from: string, known: (day: number) => string) =>
    `select directory_type, month, ${eachDay(known)} as known
     from ${from} and (directory_type, month) in (select * from unnest($1::text[], $2::date[]))
     group by directory_type, month`;
  if (kind === 'locations') {
    return months('insights where location_id = any ($3::bigint[])', (day) => `count(counts[${day}])`);
  }
  const { figures, deltas } = scopeConditions(kind, 3);
  return `${months(`insight_figures where ${figures}`, (day) => `sum(known[${day}])`)}
    union all
    ${months(`insight_deltas where ${deltas}`, (day) => `coalesce(sum(sign) filter (where counts[${day}] is not null), 0)`)}`;
}

/** The counted days of a span, and the same days of the previous span. */
export interface Counted {
  span: Span;
  /** Absent if the directory started counting later. */
  before?: Span;
}

/** Directories with a longer delay are assumed to have stopped counting. */
const maxDelayDays = 7;

/** Directories report with a delay of a day or more: figures use counted days only. */
export function countedPart(span: Span, known: Availability | undefined, until = span.to): Counted | undefined {
  if (!known) return undefined;
  const from = [known.availableFrom, span.from].toSorted()[1] as string;
  const to = [span.to, until, known.countedUntil].toSorted()[0] as string;
  if (from > to) return undefined;
  const before = previousSpan(span);
  const isComparable = known.availableFrom <= before.from;
  return {
    span: { from, to },
    ...(isComparable && { before: { from: before.from, to: daysAfter(to, -lengthOf(span)) } }),
  };
}

/** Last day of the span that all active directories have counted. */
function countedByAll(span: Span, known: readonly (Availability | undefined)[]): string | undefined {
  const ends = known.flatMap((one) => countedPart(span, one)?.span.to ?? []).toSorted();
  const latest = ends.at(-1);
  return latest && ends.find((day) => day >= daysAfter(latest, -maxDelayDays));
}

/** Counted days of a span and scope, read once. */
export function countedDays(sql: Sql, scope: Scope, span: Span, directoryTypes: readonly string[]) {
  const readKnown = once(async () => {
    const available = await dataAvailability(sql, scope, directoryTypes);
    return new Map(available.map((one) => [one.directoryType, one]));
  });
  return {
    of: async (directoryType: string) => countedPart(span, (await readKnown()).get(directoryType)),
    /** For sums over several directories: only days that all of them have counted. */
    async ofAll(types: readonly string[]) {
      const known = await readKnown();
      const until = countedByAll(
        span,
        types.map((type) => known.get(type)),
      );
      const parts = new Map<string, Counted>();
      for (const type of types) {
        const part = countedPart(span, known.get(type), until);
        if (part) parts.set(type, part);
      }
      return { until, parts };
    },
  };
}
