import type { FastifyInstance } from 'fastify';
import type { Selectable } from 'kysely';
import Type from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { db, raw } from '../../../database/query-builder.ts';
import type { DB } from '../../../database/schema.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import { recordResponse } from '../../../http/record-response.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { dayOf } from '../../../values/calendar.ts';
import { singleFlight } from '../../../values/single-flight.ts';

/** A deprecated field, format of a field, or parameter in the requests of a partner. */
type CountedUse = Omit<Selectable<DB['deprecatedUse']>, 'day'>;

const maxDays = 90;

const flushIntervalMs = 10_000;

/**
 * Counts in memory and writes periodically: a client with deprecated usage sends it with every request, and a write per
 * request would contend for one row.
 */
class DeprecatedUseCounter {
  readonly #sql: Sql;
  readonly #counts = new Map<string, CountedUse>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  count(use: Omit<CountedUse, 'count' | 'lastUsed'>, now = new Date()): void {
    this.#add({ ...use, count: 1, lastUsed: now });
  }

  #add(use: CountedUse): void {
    const { partnerId, version, name, replacedBy, lastUsed } = use;
    const key = JSON.stringify([partnerId, version, name, replacedBy, dayOf(lastUsed)]);
    const known = this.#counts.get(key);
    this.#counts.set(key, {
      ...use,
      count: use.count + (known?.count ?? 0),
      lastUsed: known && known.lastUsed > lastUsed ? known.lastUsed : lastUsed,
    });
  }

  /** Counts that cannot be written, or are added meanwhile, are kept for the next flush. */
  readonly flush = singleFlight(() => this.#write());

  async #write(): Promise<void> {
    const uses = [...this.#counts.values()];
    this.#counts.clear();
    await addUses(this.#sql, uses).catch(() => {
      for (const use of uses) this.#add(use);
    });
  }
}

export function createDeprecatedUseCounter(server: FastifyInstance, sql: Sql): DeprecatedUseCounter {
  const counter = new DeprecatedUseCounter(sql);
  let timer: NodeJS.Timeout | undefined;
  server.decorate('deprecatedUse', counter);
  server.addHook('onReady', async () => {
    timer = setInterval(() => void counter.flush(), flushIntervalMs).unref();
  });
  server.addHook('onClose', async () => {
    clearInterval(timer);
    // The first one may have begun before the last request.
    await counter.flush();
    await counter.flush();
  });
  return counter;
}

declare module 'fastify' {
  interface FastifyInstance {
    deprecatedUse: DeprecatedUseCounter;
  }
}

const addToCounts = defineStatement({
  name: 'add-deprecated-uses',
  text: `insert into deprecated_use as known (partner_id, day, version, name, replaced_by, count, last_used)
         select partner_id, last_used::date, version, name, replaced_by, count, last_used
         from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[])
           as used (partner_id, version, name, replaced_by, count, last_used)
         where partner_id in (select id from sales_partners)
         order by partner_id, last_used::date, version, name, replaced_by
         on conflict (partner_id, day, version, name, replaced_by) do update
           set count = known.count + excluded.count, last_used = greatest(known.last_used, excluded.last_used)`,
});

/** Without uses of partners that were moved to another cell meanwhile. */
export async function addUses(sql: Sql, uses: readonly CountedUse[]): Promise<void> {
  if (uses.length === 0) return;
  await run(sql, addToCounts, [
    uses.map(({ partnerId }) => partnerId),
    uses.map(({ version }) => version),
    uses.map(({ name }) => name),
    uses.map(({ replacedBy }) => replacedBy),
    uses.map(({ count }) => count),
    uses.map(({ lastUsed }) => lastUsed),
  ]);
}

/** Most recently used first. */
function listUses(sql: Sql, partnerId: number, days: number): Promise<CountedUse[]> {
  return db(sql)
    .selectFrom('deprecatedUse')
    .select(['partnerId', 'version', 'name', 'replacedBy'])
    .select(({ cast, fn }) => [cast<number>(fn.sum('count'), 'bigint').as('count'), fn.max('lastUsed').as('lastUsed')])
    .where('partnerId', '=', partnerId)
    .where('day', '>', daysAgo(days))
    .groupBy(['partnerId', 'version', 'name', 'replacedBy'])
    .orderBy('lastUsed', 'desc')
    .orderBy('name')
    .orderBy('version')
    .execute();
}

const daysAgo = (days: number) => raw<Date>`current_date - ${days}::int`;

export async function deleteOldUses(sql: Sql): Promise<number> {
  const { numDeletedRows } = await db(sql)
    .deleteFrom('deprecatedUse')
    .where('day', '<=', daysAgo(maxDays))
    .executeTakeFirst();
  return Number(numDeletedRows);
}

const DeprecatedUseResponse = Type.Object({
  name: Type.String({ description: 'Name of the field or parameter', examples: ['websiteExtra'] }),
  version: Type.String({ description: 'API version of the requests that used it', examples: ['20220222'] }),
  replacedBy: Type.String({
    description: 'API version that replaced it. See GET /api/versions.',
    examples: ['20230407'],
  }),
  count: Type.Integer({ description: 'Number of requests that used it' }),
  lastUsed: Type.String({ examples: ['2026-11-15T08:30:00.000Z'] }),
});

export function deprecatedUseRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/deprecated-use',
    summary: 'List deprecated fields and parameters that your requests still use, most recently used first',
    needs: 'ADMIN',
    query: Type.Object({
      days: Type.Integer({ minimum: 1, maximum: maxDays, default: 30, description: 'Number of past days to include' }),
    }),
    response: Type.Object({ days: Type.Integer(), uses: Type.Array(DeprecatedUseResponse) }),
    handler: async ({ caller, query: { days } }) => {
      await server.deprecatedUse.flush();
      const uses = await listUses(database.pool, caller.partnerId, days);
      return { days, uses: uses.map((use) => recordResponse(DeprecatedUseResponse, use)) };
    },
  });
}
