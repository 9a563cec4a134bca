import type { SelectQueryBuilder } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Sql } from './connection.ts';
import { db, raw } from './query-builder.ts';
import type { DB } from './schema.ts';

/** The number of matching records, or an upper bound. */
export interface Counted {
  count: number;
  countIsExact: boolean;
}

/** Larger counts are upper bounds. */
export const maxExactCount = 100_000;

/** Counts up to this are shared by concurrent calls, but not cached. */
const uncachedCount = 1000;
/** Lifetime of a cached count, unless the partner changes data. */
const countTtlMs = 5000;
const totalTtlMs = 60_000;
const maxEntries = 5000;

/** Margin for rows that had an id but were not committed when the total was counted; a transaction inserts far fewer. */
const uncommitted = 10_000;

interface Countable {
  /** Cache key: the conditions with their values. */
  key: string;
  /** Writes of this partner invalidate the cached count. */
  owner: unknown;
  /** Counts records with an id above `since`, up to a limit; null means no limit. */
  upTo(limit: number | null, since: number): Promise<Snapshot>;
  /** The count without filters, an upper bound for every filter. */
  total: { key: string; count(): Promise<Snapshot> };
}

/** The result of one statement. */
export interface Snapshot {
  count: number;
  /** The largest id of the table; later rows have larger ids. */
  lastId: number;
}

type CachedCount = Counted & { lastId: number };

interface CacheEntry<T> {
  value: Promise<T>;
  owner?: unknown;
}

class CountCache<T> {
  readonly #entries: LRUCache<string, CacheEntry<T>>;

  constructor(ttlMs: number) {
    this.#entries = new LRUCache({ max: maxEntries, ttl: ttlMs });
  }

  get(key: string): Promise<T> | undefined {
    return this.#entries.get(key)?.value;
  }

  set(key: string, value: Promise<T>, owner?: unknown): Promise<T> {
    this.#entries.set(key, { value, owner });
    value.catch(() => this.delete(key, value));
    return value;
  }

  delete(key: string, value: Promise<T>): void {
    if (this.#entries.peek(key)?.value === value) this.#entries.delete(key);
  }

  invalidate(owner: unknown): void {
    for (const [key, entry] of [...this.#entries.entries()]) if (entry.owner === owner) this.#entries.delete(key);
  }
}

interface Caches {
  counts: CountCache<CachedCount>;
  totals: CountCache<Snapshot>;
}

/** One cache per pool; a transaction is not cached, because it sees its own uncommitted rows. */
const caches = new WeakMap<Sql, Caches>();

function cachesOf(sql: Sql): Caches {
  const known = caches.get(sql) ?? { counts: new CountCache(countTtlMs), totals: new CountCache(totalTtlMs) };
  caches.set(sql, known);
  return known;
}

/** Call after a partner changed data. */
export const invalidateCounts = (sql: Sql, owner: unknown): void => caches.get(sql)?.counts.invalidate(owner);

/** Counts exactly up to 100,000. Larger counts are upper bounds, so that paging up to the count reads all records. */
export async function countOf(sql: Sql, countable: Countable): Promise<Counted> {
  const { counts } = cachesOf(sql);
  const { key, owner } = countable;
  const known = await counts.get(key);
  if (known) {
    const added = await countable.upTo(maxExactCount, known.lastId);
    const count = known.count + added.count;
    if (!known.countIsExact || count <= maxExactCount) return { count, countIsExact: known.countIsExact };
    counts.invalidate(owner);
  }
  const counting = counts.set(key, countAll(sql, countable), owner);
  const { count, countIsExact } = await counting;
  if (count <= uncachedCount) counts.delete(key, counting);
  return { count, countIsExact };
}

async function countAll(sql: Sql, { upTo, total }: Countable): Promise<CachedCount> {
  const { count, lastId } = await upTo(maxExactCount + 1, 0);
  if (count <= maxExactCount) return { count, countIsExact: true, lastId };
  const { totals } = cachesOf(sql);
  const all = await (totals.get(total.key) ?? totals.set(total.key, total.count()));
  // At most `lastId - all.lastId` rows were added since.
  return { count: all.count + Math.max(0, lastId - all.lastId) + uncommitted, countIsExact: false, lastId };
}

/** A query with its tables and conditions, without selections. */
// biome-ignore lint/suspicious/noExplicitAny: any table, under any alias
type Rows = SelectQueryBuilder<any, any, object>;

/** Counts the rows of a query. `all` is the same query without filters, an upper bound. */
export function countRows(
  sql: Sql,
  { table, owner, rows, all }: { table: keyof DB; owner: number; rows: Rows; all: Rows },
): Promise<Counted> {
  const lastId = db(sql).selectFrom(table).select(raw.ref('id').as('id')).orderBy(raw.ref('id'), 'desc').limit(1);
  const count = async (counted: Rows): Promise<Snapshot> =>
    (await db(sql)
      .selectFrom(counted.select(raw`1`.as('one')).as('matching'))
      .select([raw<number>`count(*)`.as('count'), raw<number>`coalesce(${lastId}, 0)`.as('lastId')])
      .executeTakeFirstOrThrow()) satisfies Snapshot;
  const keyOf = (counted: Rows) => {
    const { sql: text, parameters } = counted.compile();
    return `${text} ${JSON.stringify(parameters)}`;
  };
  return countOf(sql, {
    key: keyOf(rows),
    owner,
    upTo: (limit, since) => {
      const added = since > 0 ? rows.where(`${table}.id`, '>', since) : rows;
      return count(limit === null ? added : added.limit(limit));
    },
    total: {
      get key() {
        return keyOf(all);
      },
      count: () => count(all),
    },
  });
}
