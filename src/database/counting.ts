import { LRUCache } from 'lru-cache';
import type { Conditions } from './conditions.ts';
import type { Sql } from './connection.ts';

/** How many records match; when it is not exact, an upper bound. */
export interface Counted {
  count: number;
  countIsExact: boolean;
}

/** Counts are exact up to here. */
export const maxExactCount = 100_000;

/** So few are counted anew for each request. */
const fewCounted = 1000;
/** Larger counts are used again for this long, unless the partner changes something meanwhile. */
const countLivesMs = 5000;
const totalLivesMs = 60_000;
const mostRemembered = 5000;

/**
 * Records of transactions that had drawn their ids when a total was counted and committed later. No transaction inserts
 * more than a few thousand.
 */
const uncommitted = 10_000;

/** What is counted. */
export interface Countable {
  /** Tells it from everything else that is counted: its conditions with their values. */
  key: string;
  /** Whose writes end the use of a remembered count. */
  owner: unknown;
  /** Counts those with an id above `since`, up to a limit; null stands for all. */
  upTo(limit: number | null, since: number): Promise<Snapshot>;
  /** All records that the conditions choose from, however these change. */
  total: { key: string; count(): Promise<Snapshot> };
}

/** What one statement saw. */
export interface Snapshot {
  count: number;
  /** The largest id of the table: whatever is added later has a larger one. */
  lastId: number;
}

type Kept = Counted & { lastId: number };

interface Remembered<T> {
  value: Promise<T>;
  owner?: unknown;
}

class Memory<T> {
  readonly #entries: LRUCache<string, Remembered<T>>;

  constructor(livesMs: number) {
    this.#entries = new LRUCache({ max: mostRemembered, ttl: livesMs });
  }

  get(key: string): Promise<T> | undefined {
    return this.#entries.get(key)?.value;
  }

  set(key: string, value: Promise<T>, owner?: unknown): Promise<T> {
    this.#entries.set(key, { value, owner });
    value.catch(() => {
      if (this.#entries.peek(key)?.value === value) this.#entries.delete(key);
    });
    return value;
  }

  forget(owner: unknown): void {
    for (const [key, entry] of [...this.#entries.entries()]) if (entry.owner === owner) this.#entries.delete(key);
  }
}

interface Memories {
  counts: Memory<Kept>;
  totals: Memory<Snapshot>;
}

/** By pool: a transaction sees its own uncommitted rows and counts for itself. */
const memories = new WeakMap<Sql, Memories>();

function memoriesOf(sql: Sql): Memories {
  const known = memories.get(sql) ?? { counts: new Memory(countLivesMs), totals: new Memory(totalLivesMs) };
  memories.set(sql, known);
  return known;
}

/** After a partner has changed something: what it lists next is counted anew. */
export const invalidateCounts = (sql: Sql, owner: unknown): void => memories.get(sql)?.counts.forget(owner);

/** Counts records: exactly up to 100,000; above that the count is an upper bound, so that reading to it reads all. */
export async function countOf(sql: Sql, countable: Countable): Promise<Counted> {
  const { counts } = memoriesOf(sql);
  const { key, owner } = countable;
  const known = await counts.get(key);
  if (known) {
    const added = await countable.upTo(maxExactCount, known.lastId);
    const count = known.count + added.count;
    if (!known.countIsExact || count <= maxExactCount) return { count, countIsExact: known.countIsExact };
    counts.forget(owner);
  }
  const few = await countable.upTo(fewCounted + 1, 0);
  if (few.count <= fewCounted) return { count: few.count, countIsExact: true };
  const { count, countIsExact } = await (counts.get(key) ?? counts.set(key, countMany(sql, countable), owner));
  return { count, countIsExact };
}

async function countMany(sql: Sql, { upTo, total }: Countable): Promise<Kept> {
  const { count, lastId } = await upTo(maxExactCount + 1, 0);
  if (count <= maxExactCount) return { count, countIsExact: true, lastId };
  const { totals } = memoriesOf(sql);
  const all = await (totals.get(total.key) ?? totals.set(total.key, total.count()));
  // No more than the difference of the ids were added since.
  return { count: all.count + Math.max(0, lastId - all.lastId) + uncommitted, countIsExact: false, lastId };
}

/** Runs a statement that counts, and reads the largest id of the table in the same snapshot. */
export async function snapshotOf(sql: Sql, table: string, counting: string, values: unknown[]): Promise<Snapshot> {
  const { rows } = await sql.query<Snapshot>(
    `select (${counting}) as count, coalesce((select id from ${table} order by id desc limit 1), 0) as "lastId"`,
    values,
  );
  return rows[0] ?? { count: 0, lastId: 0 };
}

/** Counts rows of a table, `from` with an alias if it has one. `within`: what never changes of a row, by $1. */
export function countMatching(
  sql: Sql,
  from: string,
  conditions: Conditions,
  within = 'partner_id = $1',
): Promise<Counted> {
  const { where, values } = conditions;
  const table = from.replace(/ .*/, '');
  const owner = values[0];
  return countOf(sql, {
    key: `${from} ${where} ${JSON.stringify(values)}`,
    owner,
    upTo: (limit, since) => {
      const added = since > 0 ? ` and id > ${since}` : '';
      const counting = `select count(*) from (select from ${from} ${where}${added} limit ${limit}) as matching`;
      return snapshotOf(sql, table, counting, values);
    },
    total: {
      key: `${from} ${within} ${owner}`,
      count: () => snapshotOf(sql, table, `select count(*) from ${from} where ${within}`, [owner]),
    },
  });
}
