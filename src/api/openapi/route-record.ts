import type { FastifyInstance } from 'fastify';

/** A JSON Schema, as far as the documents look into it. */
export interface Schema {
  title?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  patternProperties?: Record<string, Schema>;
  default?: unknown;
  examples?: unknown[];
  $ref?: string;
  [keyword: string]: unknown;
}

/** What a route says of itself; the documents are made of nothing else. */
export interface RouteRecord {
  method: string;
  path: string;
  access: string;
  summary: string;
  /** What there is to say beyond the summary. */
  description?: string;
  /** The feature or role that a user needs. */
  needs?: string;
  params?: Schema;
  query?: Schema;
  body?: Schema;
  /** What is sent in place of a JSON body, by its media type. */
  consumes?: Readonly<Record<string, Schema>>;
  /** By HTTP code. */
  answers: Record<string, Schema>;
  /** The media types of a route that answers with a file. */
  produces?: readonly string[];
}

/** Gathers every route that is added from now on. */
export function gatherRoutes(server: FastifyInstance): readonly RouteRecord[] {
  const records: RouteRecord[] = [];
  server.decorate('routeRecords', records);
  server.addHook('onRoute', ({ method, path, schema, config }) => {
    const [name] = [method].flat();
    const said = schema as
      | {
          summary?: string;
          description?: string;
          params?: Schema;
          querystring?: Schema;
          body?: Schema;
          consumes?: Readonly<Record<string, Schema>>;
          response?: Record<string, Schema>;
          produces?: readonly string[];
        }
      | undefined;
    if (!name || name === 'HEAD' || !said?.summary || !said.response) return;
    records.push({
      method: name,
      path,
      access: config?.access ?? 'anybody',
      summary: said.summary,
      ...(said.description && { description: said.description }),
      ...(config?.needs && { needs: config.needs }),
      ...(said.params && { params: said.params }),
      ...(said.querystring && { query: said.querystring }),
      ...(said.body && { body: said.body }),
      ...(said.consumes && { consumes: said.consumes }),
      answers: said.response,
      ...(said.produces && { produces: said.produces }),
    });
  });
  return records;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route with what it says of itself. */
    routeRecords: readonly RouteRecord[];
  }
}
