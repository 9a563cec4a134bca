import type { FastifyRequest } from 'fastify';
import Type, { type TSchema } from 'typebox';
import { invalidField } from '../problems.ts';
import { Id } from './ids.ts';

/** Of every list: whose records. `x-parameter` is their name in the documents, which have each once. */
export const partnerQuery = {
  salesPartnerId: Type.Optional(
    Type.Integer({
      ...Id,
      'x-parameter': 'SalesPartnerId',
      description: 'With the key of a parent partner: the list of this child partner',
    }),
  ),
  includeChildren: Type.Optional(
    Type.Boolean({
      'x-parameter': 'IncludeChildren',
      description:
        'With the key of a parent partner: also the records of its child partners, each in the order of the list, the own first',
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

/** The query of a list with the parameters that say whose records; those that it has itself stay. */
export const withPartners = (query: TSchema): TSchema =>
  Type.Object({ ...partnerQuery, ...propertiesOf(query) } as Type.TProperties);

/** Which of these parameters a route reads by itself. */
export const ownQueryOf = (query: TSchema | undefined): readonly string[] =>
  Object.keys(partnerQuery).filter((name) => name in propertiesOf(query));

/** Whether a route answers with a page of records and their count. */
export function isListOf(response: TSchema, query: TSchema | undefined): boolean {
  const fields = propertiesOf(response);
  const listed = fields.inbox ? propertiesOf(fields.inbox) : fields;
  return 'count' in listed && 'max' in propertiesOf(query);
}

const propertiesOf = (schema: unknown): Record<string, unknown> =>
  (schema as { properties?: Record<string, unknown> } | undefined)?.properties ?? {};

/** Runs the handler of a list for each partner that is read, and joins the lists to one. */
export async function joinLists<T>(request: FastifyRequest, handler: () => Promise<T>): Promise<T> {
  const { partnersRead, caller } = request;
  if (!partnersRead) return handler();
  const query = request.query as Page;
  if (query.after !== undefined) {
    throw invalidField('after', 'together', 'after cannot be given with includeChildren. Use offset or page.');
  }
  const { offset = (query.page ?? 0) * query.max } = query;
  let skip = offset;
  let joined: { answer: T; list: List; entries: unknown[]; name: string } | undefined;
  for (const partner of partnersRead) {
    const wanted: number = query.max - (joined?.entries.length ?? 0);
    request.caller = partner;
    request.listOffset = skip;
    request.query = { ...query, ...(query.offset !== undefined && { offset: skip }), max: Math.max(1, wanted) };
    const answer = await handler();
    const list = listOf(answer);
    const name = Object.keys(list).find((one) => Array.isArray(list[one])) ?? '';
    const entries = (list[name] as unknown[]).slice(0, wanted);
    skip = Math.max(0, skip - list.count);
    if (!joined) joined = { answer, list, entries: [...entries], name };
    else {
      joined.entries.push(...entries);
      joined.list.count += list.count;
      if (list.countIsExact === false) joined.list.countIsExact = false;
    }
  }
  request.caller = caller;
  if (!joined) return handler();
  const { answer, list, entries, name } = joined;
  // It would lead on in the list of the caller only.
  delete list.after;
  Object.assign(list, {
    [name]: entries,
    ...('offset' in list && { offset }),
    ...('max' in list && { max: query.max }),
    ...('pageSize' in list && { pageSize: query.max }),
  });
  return answer;
}

function listOf(answer: unknown): List {
  const { inbox } = answer as { inbox?: List };
  return inbox ?? (answer as List);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Where the page begins in the list of a partner that is joined with others. */
    listOffset?: number;
  }
}
