import type { FastifyInstance } from 'fastify';
import type { CallerRequirements } from '../../http/access.ts';
import type { Schema } from '../../json-schema.ts';

/** The metadata of a route, the source of the documents. */
export interface RouteRecord extends CallerRequirements {
  method: string;
  path: string;
  access: string;
  summary: string;
  /** Whether the response may lag, because it is read from a replica. */
  mayLag: boolean;
  params?: Schema;
  query?: Schema;
  body?: Schema;
  /** Non-JSON bodies by media type. */
  consumes?: Readonly<Record<string, Schema>>;
  /** By HTTP code. */
  responses: Record<string, Schema>;
  /** The media types of a file response. */
  produces?: readonly string[];
}

type RouteSchema = Partial<Pick<RouteRecord, 'summary' | 'params' | 'body' | 'consumes' | 'produces'>> & {
  querystring?: Schema;
  response?: Record<string, Schema>;
};

/** Collects all routes that are added after this call. */
export function gatherRoutes(server: FastifyInstance): readonly RouteRecord[] {
  const records: RouteRecord[] = [];
  server.decorate('routeRecords', records);
  server.addHook('onRoute', ({ method, path, schema, config }) => {
    const [name] = [method].flat();
    const { querystring: query, response: responses, summary, ...documented } = (schema ?? {}) as RouteSchema;
    if (!name || name === 'HEAD' || !summary || !responses) return;
    const { needs, fieldGroup, userOnly, accountManager } = config?.requirements ?? {};
    records.push({
      ...documented,
      method: name,
      path,
      access: config?.access ?? 'anonymous',
      summary,
      needs,
      fieldGroup,
      userOnly,
      accountManager,
      mayLag: config?.reads === 'replica',
      ...(query && { query }),
      responses,
    });
  });
  return records;
}

declare module 'fastify' {
  interface FastifyInstance {
    routeRecords: readonly RouteRecord[];
  }
}
