import type { FastifyInstance } from 'fastify';
import Type, { type Static, type TProperties, type TSchema } from 'typebox';
import type { Caller } from '../../../http/authenticate.ts';
import type { NumberedPage } from '../../../http/pagination.ts';
import { route } from '../../../http/route.ts';
import { Problem } from '../../../problems.ts';

interface ReadRoute<Fields extends TProperties, Response extends TSchema> {
  path: `/api/home/${string}`;
  summary: string;
  fields: Fields;
  response: Response;
  read(caller: Caller, given: Static<Type.TObject<Fields>>): Promise<Static<Response>>;
}

/** A read-only endpoint with GET and POST. POST accepts parameters in body and query; the body takes precedence. */
export function readRoute<Fields extends TProperties, const Response extends TSchema>(
  server: FastifyInstance,
  { path, summary, fields, response, read }: ReadRoute<Fields, Response>,
): void {
  const shared = { path, summary, needs: 'DASHBOARD_READ', response, problems: ['NOT_FOUND'] } as const;
  const query = Type.Object(fields);
  type Given = Static<Type.TObject<Fields>>;
  route(server, {
    ...shared,
    method: 'GET',
    query,
    handler: ({ caller, query: given }) => read(caller, given as Given),
  });
  route(server, {
    ...shared,
    method: 'POST',
    query: Type.Partial(query),
    body: Type.Partial(query),
    handler: async ({ caller, query: given, body }) => {
      const all = { ...(given as Given), ...(body as Partial<Given>) };
      requireFields((query.required ?? []) as readonly string[], all);
      return read(caller, all);
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

export const upToDateField = {
  upToDate: Type.Boolean({
    description: 'false while many changed locations are still being processed',
  }),
};
