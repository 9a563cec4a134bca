import type { SelectQueryBuilder } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Sql } from './connection.ts';
import { compileOnce, db, raw, unprepared } from './query-builder.ts';
import { ReplicaReads } from './read-replica.ts';
import type { DB } from './schema.ts';

/** The number of matching records, or an upper bound. */
export interface Counted {
  count: number;
  countIsExact: boolean;
}

/** Larger counts are upper bounds. */
export const maxExactCount = 100_000;

/** Concurrent calls share counts up to this size, but later calls count again. */
const maxUncachedCount = 1000;
/** Lifetime of a cached count. A write of the partner ends it earlier. */
const countTtlMs = 10_000;
/** After this time, a count that is still requested is renewed in the background. */
const renewAfterMs = 5000;
const totalTtlMs = 60_000;
const maxEntries = 5000;

/** Margin for rows inserted, but not committed, when the total was counted. Transactions insert far fewer rows. */
const uncommittedMargin = 10_000;

interface Countable {
  /** The table of the counted records, or of the ids that they refer to. */
  table: keyof DB;
  /** Cache key: the conditions with their values. */
  key: string;
  /** The partner whose writes end the cached count. */
  partnerId: number;
  /** The last id, if an earlier statement of the request has read it. */
  lastId?: number | undefined;
  /** Counts records with an id above `since`. Stops at `limit`; null means no limit. */
  upTo(limit: number | null, since: number): Promise<Snapshot>;
  /** The count without filters: an upper bound of the filtered count. */
  total: { key: string; count(): Promise<Snapshot> };
}

/** A count and the last id, read by the same statement. */
export interface Snapshot {
  count: number;
  /** The largest id of the table; later rows have larger ids. */
  lastId: number;
}

type CachedCount = Counted & { lastId: number };

interface CacheEntry<T> {
  value: Promise<T>;
  partnerId?: number | undefined;
  renewal?: Promise<void>;
}

class CountCache<T> {
  readonly #entries: LRUCache<string, CacheEntry<T>>;

  constructor(ttlMs: number) {
    this.#entries = new LRUCache({ max: maxEntries, ttl: ttlMs, ttlResolution: 0 });
  }

  get(key: string): Promise<T> | undefined {
    return this.#entries.get(key)?.value;
  }

  set(key: string, value: Promise<T>, partnerId?: number): Promise<T> {
    this.#entries.set(key, { value, partnerId });
    value.catch(() => this.delete(key, value));
    return value;
  }

  /** Replaces an older value as soon as the new one is known, unless it was invalidated in the meantime. */
  renew(key: string, count: () => Promise<T>): void {
    const entry = this.#entries.peek(key);
    if (!entry || entry.renewal || this.#entries.getRemainingTTL(key) > countTtlMs - renewAfterMs) return;
    entry.renewal = count().then(
      (value) => {
        if (this.#entries.peek(key) === entry) this.set(key, Promise.resolve(value), entry.partnerId);
      },
      // The old value expires, then the next request counts.
      () => {},
    );
  }

  delete(key: string, value: Promise<T>): void {
    if (this.#entries.peek(key)?.value === value) this.#entries.delete(key);
  }

  invalidate(partnerId: number): void {
    for (const [key, entry] of [...this.#entries.entries()])
      if (entry.partnerId === partnerId) this.#entries.delete(key);
  }
}

interface Caches {
  counts: CountCache<CachedCount>;
  totals: CountCache<Snapshot>;
}

/** Caches per connection pool. A transaction has its own, because it sees its uncommitted rows. */
const caches = new WeakMap<Sql, Caches>();

function cachesOf(sql: Sql): Caches {
  const key = sql instanceof ReplicaReads ? sql.pool : sql;
  const existing = caches.get(key) ?? { counts: new CountCache(countTtlMs), totals: new CountCache(totalTtlMs) };
  caches.set(key, existing);
  return existing;
}

/** Call after a write of the partner. */
export const invalidateCounts = (sql: Sql, partnerId: number): void => caches.get(sql)?.counts.invalidate(partnerId);

/** Counts exactly up to 100,000. Larger counts are upper bounds, so that paging up to the count reads all records. */
export async function countOf(sql: Sql, countable: Countable): Promise<Counted> {
  const { counts } = cachesOf(sql);
  const { key, partnerId } = countable;
  const cached = await counts.get(key);
  if (cached) {
    counts.renew(key, () => countUncached(sql, countable));
    const lastId = countable.lastId ?? (await readLastId(sql, countable.table));
    // Another request may have counted after this request read the last id.
    const isUnchanged = lastId <= cached.lastId;
    const added = isUnchanged ? 0 : (await countable.upTo(maxExactCount, cached.lastId)).count;
    const count = cached.count + added;
    if (!cached.countIsExact || count <= maxExactCount) return { count, countIsExact: cached.countIsExact };
    counts.invalidate(partnerId);
  }
  const counting = counts.set(key, countUncached(sql, countable), partnerId);
  const { count, countIsExact } = await counting;
  if (count <= maxUncachedCount) counts.delete(key, counting);
  return { count, countIsExact };
}

async function countUncached(sql: Sql, { upTo, total }: Countable): Promise<CachedCount> {
  const { count, lastId } = await upTo(maxExactCount + 1, 0);
  if (count <= maxExactCount) return { count, countIsExact: true, lastId };
  const { totals } = cachesOf(sql);
  const all = await (totals.get(total.key) ?? totals.set(total.key, total.count()));
  // At most `lastId - all.lastId` rows were added since the total was counted.
  return { count: all.count + Math.max(0, lastId - all.lastId) + uncommittedMargin, countIsExact: false, lastId };
}

/** The largest id of a table, or 0. */
export function lastIdOf(sql: Sql, table: keyof DB) {
  const last = db(sql)
    .selectFrom(table)
    .select(raw.ref('id').as('id'))
    .orderBy(raw.ref('id'), 'desc')
    .limit(raw.lit(1));
  return raw<number>`coalesce(${last}, 0)`.as('lastId');
}

async function readLastId(sql: Sql, table: keyof DB): Promise<number> {
  const [found] = await selectLastId(sql, { table }, {});
  return found?.lastId ?? 0;
}

const selectLastId = compileOnce((sql, { table }: { table: keyof DB }) => db(sql).selectNoFrom(lastIdOf(sql, table)));

/** A query with its tables and conditions, without selections. */
// biome-ignore lint/suspicious/noExplicitAny: any table, under any alias
type RowQuery = SelectQueryBuilder<any, any, object>;

/** The exact count of a query without selections. */
export async function countAll(rows: RowQuery): Promise<number> {
  const { count } = await rows.select(raw<number>`count(*)`.as('count')).executeTakeFirstOrThrow();
  return count;
}

/** Counts the rows of a query. `all` is the query without filters, whose count is the upper bound. */
export function countRows(
  sql: Sql,
  { table, partnerId, rows, all }: { table: keyof DB; partnerId: number; rows: RowQuery; all: RowQuery },
): Promise<Counted> {
  const count = async (query: RowQuery, planner = sql): Promise<Snapshot> =>
    (await db(planner)
      .selectFrom(query.select(raw`1`.as('one')).as('matching'))
      .select([raw<number>`count(*)`.as('count'), lastIdOf(sql, table)])
      .executeTakeFirstOrThrow()) satisfies Snapshot;
  const keyOf = (query: RowQuery) => {
    const { sql: text, parameters } = query.compile();
    return `${text} ${JSON.stringify(parameters)}`;
  };
  return countOf(sql, {
    table,
    key: keyOf(rows),
    partnerId,
    upTo: (limit, since) => {
      const limited = limit === null ? rows : rows.limit(limit);
      return since > 0 ? count(limited.where(`${table}.id`, '>', since), unprepared(sql)) : count(limited);
    },
    total: {
      get key() {
        return keyOf(all);
      },
      count: () => count(all),
    },
  });
}
