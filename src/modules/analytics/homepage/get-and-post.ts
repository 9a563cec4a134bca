import type { FastifyInstance } from 'fastify';
import Type, { type Static, type TProperties, type TSchema } from 'typebox';
import type { Caller } from '../../../http/authenticate.ts';
import { route } from '../../../http/route.ts';
import { Problem, type ProblemName } from '../../../problems.ts';

interface Reading<Fields extends TProperties, Response extends TSchema> {
  path: `/api/home/${string}`;
  summary: string;
  fields: Fields;
  response: Response;
  problems?: readonly ProblemName[];
  read(caller: Caller, given: Static<Type.TObject<Fields>>): Promise<Static<Response>>;
}

/**
 * Endpoints that only read, by GET and by POST alike. A POST may say what it wants in its body, in the query, or in
 * both; the body counts.
 */
export function getAndPost<Fields extends TProperties, const Response extends TSchema>(
  server: FastifyInstance,
  { path, summary, fields, response, problems = [], read }: Reading<Fields, Response>,
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
      demandGiven((query.required ?? []) as readonly string[], all);
      return read(caller, all);
    },
  });
}

/** Either half of a request may have them, so neither can be asked for them alone. */
export function demandGiven(required: readonly string[], given: object): void {
  const missing = required.filter((name) => !Object.hasOwn(given, name));
  if (missing.length === 0) return;
  const errors = missing.map((field) => ({ field, rule: 'required', message: `${field} is required.` }));
  throw new Problem('MISSING_PARAMETER', { errors });
}
