import type { FastifyRequest } from 'fastify';
import Type, { type TSchema } from 'typebox';
import { invalidField } from '../problems.ts';
import { Id } from './ids.ts';

/** Parameters of every list. `x-parameter` is the name of the shared OpenAPI parameter. */
export const partnerQuery = {
  salesPartnerId: Type.Optional(
    Type.Integer({
      ...Id,
      'x-parameter': 'SalesPartnerId',
      description: 'Returns the list of this child partner. Requires the key of its parent partner.',
    }),
  ),
  includeChildren: Type.Optional(
    Type.Boolean({
      'x-parameter': 'IncludeChildren',
      description:
        'Includes the records of child partners, after the records of the partner itself. Requires the key of a parent partner.',
    }),
  ),
};

interface Page {
  offset?: number;
  page?: number;
  max: number;
  after?: unknown;
}

interface List {
  count: number;
  countIsExact?: boolean;
  [name: string]: unknown;
}

/** Adds the partner parameters to the query of a list; its own parameters take precedence. */
export const withPartners = (query: TSchema): TSchema =>
  Type.Object({ ...partnerQuery, ...propertiesOf(query) } as Type.TProperties);

/** The partner parameters that a route handles itself. */
export const ownQueryOf = (query: TSchema | undefined): readonly string[] =>
  Object.keys(partnerQuery).filter((name) => name in propertiesOf(query));

/** Whether a route returns a page of records and their count. */
export function isListOf(response: TSchema, query: TSchema | undefined): boolean {
  const fields = propertiesOf(response);
  const listed = fields.inbox ? propertiesOf(fields.inbox) : fields;
  return 'count' in listed && 'max' in propertiesOf(query);
}

const propertiesOf = (schema: unknown): Record<string, unknown> =>
  (schema as { properties?: Record<string, unknown> } | undefined)?.properties ?? {};

/** Runs a list handler for each partner and joins the results. */
export async function joinLists<T>(request: FastifyRequest, handler: () => Promise<T>): Promise<T> {
  const { partnersRead, caller } = request;
  if (!partnersRead) return handler();
  const query = request.query as Page;
  if (query.after !== undefined) {
    throw invalidField('after', 'together', 'after cannot be combined with includeChildren. Use offset or page.');
  }
  const { offset = (query.page ?? 0) * query.max } = query;
  let skip = offset;
  let joined: { response: T; list: List; entries: unknown[]; name: string } | undefined;
  for (const partner of partnersRead) {
    const wanted: number = query.max - (joined?.entries.length ?? 0);
    request.caller = partner;
    request.listOffset = skip;
    request.query = { ...query, ...(query.offset !== undefined && { offset: skip }), max: Math.max(1, wanted) };
    const response = await handler();
    const list = listOf(response);
    const name = Object.keys(list).find((one) => Array.isArray(list[one])) ?? '';
    const entries = (list[name] as unknown[]).slice(0, wanted);
    skip = Math.max(0, skip - list.count);
    if (!joined) joined = { response, list, entries: [...entries], name };
    else {
      joined.entries.push(...entries);
      joined.list.count += list.count;
      if (list.countIsExact === false) joined.list.countIsExact = false;
    }
  }
  request.caller = caller;
  if (!joined) return handler();
  const { response, list, entries, name } = joined;
  // The cursor is valid for the list of one partner only.
  delete list.after;
  Object.assign(list, {
    [name]: entries,
    ...('offset' in list && { offset }),
    ...('max' in list && { max: query.max }),
    ...('pageSize' in list && { pageSize: query.max }),
  });
  return response;
}

function listOf(response: unknown): List {
  const { inbox } = response as { inbox?: List };
  return inbox ?? (response as List);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The offset in the list of the current partner. */
    listOffset?: number;
  }
}
