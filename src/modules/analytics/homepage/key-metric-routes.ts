import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { db, raw } from '../../../database/query-builder.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { daysAfter, lengthOf, previousSpan, readSpan, spanQuery } from '../../../values/span.ts';
import { countScope } from '../../locations/index.ts';
import { countedDays } from '../dashboard/insights/data-availability.ts';
import { homeRoute } from './home-route.ts';
import {
  AvailableMetric,
  compareMetric,
  defaultMetrics,
  describeMetric,
  figuresOf,
  KeyMetricResponse,
  keyMetricNames,
  keyMetrics,
  readMetricNames,
} from './key-metric.ts';

const Names = Type.Array(Type.String({ maxLength: 60 }), {
  minItems: 1,
  maxItems: keyMetricNames.length,
  description: `Metrics in display order: ${keyMetricNames.join(', ')}`,
  examples: [['AVERAGE_RATING', 'RESPONSE_TIME']],
});

const Configuration = Type.Object({
  metrics: Type.Array(Type.Enum([...keyMetricNames]), { description: 'Metrics of the caller in display order' }),
  isDefault: Type.Boolean({ description: 'true if the caller has not selected metrics' }),
  available: Type.Array(AvailableMetric, { description: 'Metrics that can be selected' }),
});

export function keyMetricRoutes(server: FastifyInstance, { database }: Services): void {
  homeRoute(server, database, {
    path: '/api/home/key-metrics',
    summary: "Get the caller's key metrics, compared with the preceding period",
    fields: {
      ...spanQuery,
      metrics: Type.Optional(
        Type.Unsafe<string[]>({ ...Names, description: "Metrics to return instead of the caller's selection" }),
      ),
    },
    response: {
      startDate: Type.String(),
      endDate: Type.String(),
      previousStartDate: Type.String(),
      previousEndDate: Type.String(),
      matchedLocationsCount: Type.Integer(),
      metrics: Type.Array(KeyMetricResponse),
    },
    read: async ({ caller, scope, now }, given) => {
      const span = readSpan(given, now);
      const before = previousSpan(span);
      const { pool } = database;
      const names = given.metrics ? readMetricNames(given.metrics) : (await configurationOf(pool, caller)).metrics;
      const directoryTypes = names.flatMap((name) => Object.keys(keyMetrics[name].countedBy ?? {}));
      const counted = countedDays(pool, scope, span, [...new Set(directoryTypes)]);
      const partsOf = async (types: readonly string[], part: 'span' | 'before') =>
        new Map([...(await counted.ofAll(types)).parts].map(([type, days]) => [type, days[part]]));
      const current = figuresOf(pool, scope, span, now, (types) => partsOf(types, 'span'));
      const previous = figuresOf(pool, scope, before, now, (types) => partsOf(types, 'before'));
      const endsOf = async (types: readonly string[]) => {
        const { until } = await counted.ofAll(types);
        if (until === undefined) return {};
        const previousUntil = daysAfter(until, -lengthOf(span));
        return { countedUntil: until, ...(previousUntil < before.to && { previousUntil }) };
      };
      const metrics = names.map(async (name) => {
        const { read, countedBy } = keyMetrics[name];
        const [value, previousValue] = await Promise.all([read(current), read(previous)]);
        return compareMetric(name, value, previousValue, await endsOf(Object.keys(countedBy ?? {})));
      });
      return {
        startDate: span.from,
        endDate: span.to,
        previousStartDate: before.from,
        previousEndDate: before.to,
        matchedLocationsCount: await countScope(pool, scope),
        metrics: await Promise.all(metrics),
      };
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/home/key-metrics/configuration',
    summary: "Get the caller's key metrics and the available ones",
    needs: 'DASHBOARD_READ',
    response: Configuration,
    handler: async ({ caller }) => configurationOf(database.pool, caller),
  });

  route(server, {
    method: 'PUT',
    path: '/api/home/key-metrics/configuration',
    summary: 'Select key metrics. Each user has a separate selection, and so has the private key',
    needs: 'DASHBOARD_READ',
    body: Type.Object({ metrics: Names }),
    response: Configuration,
    handler: async ({ caller, body }) => {
      await chooseMetrics(database.pool, caller, readMetricNames(body.metrics));
      return configurationOf(database.pool, caller);
    },
  });
}

async function configurationOf(sql: Sql, caller: Caller) {
  const selected = await chosenMetrics(sql, caller);
  return {
    metrics: selected ? readMetricNames(selected) : [...defaultMetrics],
    isDefault: selected === undefined,
    available: keyMetricNames.map(describeMetric),
  };
}

/** Undefined if the caller has no selection. Private keys share one selection per partner. */
async function chosenMetrics(sql: Sql, { partnerId, user }: Caller): Promise<string[] | undefined> {
  const selection = await db(sql)
    .selectFrom('homeKeyMetrics')
    .select('metrics')
    .where('partnerId', '=', partnerId)
    .where('userId', 'is not distinct from', user?.id ?? null)
    .executeTakeFirst();
  return selection?.metrics;
}

async function chooseMetrics(sql: Sql, { partnerId, user }: Caller, metrics: readonly string[]): Promise<void> {
  await db(sql)
    .insertInto('homeKeyMetrics')
    .values({ partnerId, userId: user?.id ?? null, metrics: [...metrics] })
    .onConflict((conflict) =>
      conflict
        .columns(['partnerId', 'userId'])
        .doUpdateSet(({ ref }) => ({ metrics: ref('excluded.metrics'), lastUpdated: raw`now()` })),
    )
    .execute();
}
