import type { FastifyInstance } from 'fastify';
import Type, { type Static, type TProperties } from 'typebox';
import type { Database } from '../../../database/connection.ts';
import type { Caller } from '../../../http/authenticate.ts';
import type { NumberedPage } from '../../../http/pagination.ts';
import { route } from '../../../http/route.ts';
import { Problem } from '../../../problems.ts';
import { readScope, type ScopeQuery, scopeQuery } from '../../locations/index.ts';
import type { HomeQuery } from './finding-store.ts';
import { catchUp } from './homepage-jobs.ts';

interface HomeRoute<Fields extends TProperties, Response extends TProperties> {
  path: `/api/home/${string}`;
  summary: string;
  /** Parameters in addition to the scope. */
  fields?: Fields;
  /** Properties in addition to upToDate. */
  response: Response;
  read(query: HomeQuery, given: Static<Type.TObject<Fields>>): Promise<Static<Type.TObject<Response>>>;
}

const upToDateField = {
  upToDate: Type.Boolean({ description: 'false while many changed locations are still being processed' }),
};

/**
 * Figures of a scope, after pending changes are processed. With GET and POST: POST accepts parameters in body and query;
 * the body takes precedence.
 */
export function homeRoute<Fields extends TProperties, const Response extends TProperties>(
  server: FastifyInstance,
  database: Database,
  { path, summary, fields, response, read }: HomeRoute<Fields, Response>,
): void {
  const query = Type.Object({ ...fields, ...scopeQuery });
  const readHome = async (caller: Caller, given: object) => {
    const now = new Date();
    const scope = await readScope(database.pool, caller, given as ScopeQuery);
    const upToDate = await catchUp(database, caller.partnerId, now);
    return { ...(await read({ caller, scope, now }, given as Static<Type.TObject<Fields>>)), upToDate };
  };
  const shared = {
    path,
    summary,
    needs: 'DASHBOARD_READ',
    response: Type.Unsafe<object>(Type.Object({ ...response, ...upToDateField })),
    problems: ['NOT_FOUND'],
  } as const;
  route(server, {
    ...shared,
    method: 'GET',
    query,
    handler: ({ caller, query: given }) => readHome(caller, given),
  });
  route(server, {
    ...shared,
    method: 'POST',
    query: Type.Partial(query),
    body: Type.Partial(query),
    handler: async ({ caller, query: given, body }) => {
      const all = { ...given, ...body };
      requireFields(query.required ?? [], all);
      return readHome(caller, all);
    },
  });
}

/** Required fields can be in the query or the body, so the schemas cannot require them. */
export function requireFields(required: readonly string[], given: object): void {
  const missing = required.filter((name) => !Object.hasOwn(given, name));
  if (missing.length === 0) return;
  const errors = missing.map((field) => ({ field, rule: 'required', message: `${field} is required.` }));
  throw new Problem('MISSING_PARAMETER', { errors });
}

/** Keyset pagination by location id. */
export const afterField = {
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only locations with a greater id. Use instead of page for fast deep pagination',
    }),
  ),
};

interface Paging extends NumberedPage {
  after?: number;
}

export const pageOf = ({ page, size, after }: Paging) =>
  after === undefined ? { offset: page * size, limit: size } : { offset: 0, limit: size, after };
