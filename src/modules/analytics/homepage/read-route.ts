import type { FastifyInstance } from 'fastify';
import Type, { type Static, type TProperties, type TSchema } from 'typebox';
import type { Caller } from '../../../http/authenticate.ts';
import { route } from '../../../http/route.ts';
import { Problem, type ProblemName } from '../../../problems.ts';

interface ReadRoute<Fields extends TProperties, Response extends TSchema> {
  path: `/api/home/${string}`;
  summary: string;
  fields: Fields;
  response: Response;
  problems?: readonly ProblemName[];
  read(caller: Caller, given: Static<Type.TObject<Fields>>): Promise<Static<Response>>;
}

/** A read-only endpoint with GET and POST. POST accepts parameters in body and query; the body takes precedence. */
export function readRoute<Fields extends TProperties, const Response extends TSchema>(
  server: FastifyInstance,
  { path, summary, fields, response, problems = [], read }: ReadRoute<Fields, Response>,
): void {
  const shared = { path, summary, needs: 'DASHBOARD_READ', response, problems: ['NOT_FOUND', ...problems] } as const;
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
