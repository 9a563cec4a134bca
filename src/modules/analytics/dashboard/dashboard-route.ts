import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { route } from '../../../http/route.ts';
import { groups } from '../../../values/span.ts';
import { countScope, readScope, type Scope, type ScopeQuery, scopeQuery } from '../../locations/index.ts';

export const figuresAccess = {
  method: 'GET',
  reads: 'replica',
  needs: 'DASHBOARD_READ',
  problems: ['NOT_FOUND'],
} as const;

export const count = (description?: string) => Type.Integer({ minimum: 0, ...(description && { description }) });
export const numberOrNull = (description: string, example?: number) =>
  Type.Union([Type.Number(), Type.Null()], { description, ...(example !== undefined && { examples: [example] }) });
export const matchedLocationsCount = count('Number of locations in the figures');
export const Period = Type.String({ description: 'First day of the period', examples: ['2026-11-01'] });

const unusedText = 'Accepted as on the other figures of the dashboard, without effect';
const unused = {
  type: Type.Optional(Type.String({ maxLength: 50, description: unusedText })),
  startDate: Type.Optional(Type.String({ maxLength: 10, description: unusedText })),
  endDate: Type.Optional(Type.String({ maxLength: 10, description: unusedText })),
  group: Type.Optional(Type.Enum([...groups], { description: unusedText })),
};
const unusedSchemas: ReadonlySet<TSchema> = new Set(Object.values(unused));

/** The parameters of other figures: clients send the same query to all figures of the dashboard. */
export const unusedGroup = { group: unused.group };
export const unusedSpan = { startDate: unused.startDate, endDate: unused.endDate, ...unusedGroup };
export const unusedDirectory = { type: unused.type };

type FiguresRequest<Query extends TProperties> = Pick<FastifyRequest, 'grants' | 'warnings'> & {
  caller: Caller;
  query: Static<TObject<Query>> & ScopeQuery;
};

interface FiguresRoute<Query extends TProperties, Response extends TProperties> {
  path: `/api/dashboard/${string}`;
  summary: string;
  /** Parameters in addition to the scope, also those without effect. */
  query: Query;
  response: TObject<Response>;
  /** Adds matchedLocationsCount to the response. */
  countsLocations?: true;
  /** Validates the request, before its scope is read, and returns the function that reads the figures. */
  read(request: FiguresRequest<Query>): (sql: Sql, scope: Scope) => Promise<Static<TObject<Response>>>;
}

/** Figures of a scope. Warns of parameters without effect. */
export function figuresRoute<Query extends TProperties, const Response extends TProperties>(
  server: FastifyInstance,
  { path, summary, query, response, countsLocations, read }: FiguresRoute<Query, Response>,
): void {
  const withoutEffect = Object.keys(query).filter((name) => query[name] && unusedSchemas.has(query[name]));
  const whole = countsLocations ? Type.Object({ ...response.properties, matchedLocationsCount }) : response;
  route(server, {
    ...figuresAccess,
    path,
    summary,
    query: Type.Object({ ...scopeQuery, ...query }),
    response: Type.Unsafe<object>(whole),
    handler: async (given, sql) => {
      const request = given as unknown as FiguresRequest<Query>;
      warnOfUnused(request, withoutEffect);
      const readFigures = read(request);
      const scope = await readScope(sql, request.caller, request.query);
      const [figures, matched] = await Promise.all([
        readFigures(sql, scope),
        countsLocations && countScope(sql, scope),
      ]);
      return { ...figures, ...(countsLocations && { matchedLocationsCount: matched }) };
    },
  });
}

type WarnedRequest = Pick<FastifyRequest, 'warnings'>;

export function warnOfUnused(request: WarnedRequest & { query: object }, names: readonly string[]): void {
  const given = names.filter((name) => Object.hasOwn(request.query, name));
  if (given.length > 0) warnOnce(request, `These parameters have no effect on this figure: ${given.join(', ')}.`);
}

/** The handler runs again on the primary if it fails on the replica. */
export function warnOnce({ warnings }: WarnedRequest, warning: string): void {
  if (!warnings.includes(warning)) warnings.push(warning);
}
