import { STATUS_CODES } from 'node:http';
import { timeline } from '../versions/timeline.ts';
import type { CallChange } from '../versions/version-change.ts';
import { Components } from './components.ts';
import type { RouteRecord, Schema } from './route-record.ts';

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
}

export interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string; content: Record<string, { schema: Schema }> }>;
  security: Record<string, string[]>[];
}

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: object };
}

const securitySchemes = {
  privateKey: { type: 'apiKey', in: 'header', name: 'privateKey', description: 'The private key of a sales partner' },
  accessToken: { type: 'apiKey', in: 'header', name: 'accessToken', description: "A user's session, from the log-in" },
  publicKey: { type: 'apiKey', in: 'query', name: 'publicKey', description: 'The public key of a sales partner' },
};

const securityOf: Record<string, Record<string, string[]>[]> = {
  partner: [{ privateKey: [] }, { accessToken: [] }],
  public: [{ publicKey: [] }],
};

/** The API of one version: today's routes, with the records in the shape that they had then. */
export function openApiDocument(routes: readonly RouteRecord[], version: string): OpenApiDocument {
  const later = timeline.filter((entry) => entry.version > version).toReversed();
  const forSome = timeline.filter((entry) => entry.version <= version && entry.onlyWith !== undefined);
  const components = new Components({ later, forSome });
  const calls = later.flatMap((entry) => entry.calls ?? []);
  const paths: OpenApiDocument['paths'] = {};
  for (const route of [...routes].sort(byPath)) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(asOfThen(route, calls), components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Waypost',
      version: `_${version}`,
      description:
        'Every path answers with and without /api, with and without hyphens, in any case. Choose a version with v=YYYYMMDD or ' +
        'the header X-Api-Version; without one the version that your partner is pinned to answers.',
    },
    paths,
    components: { schemas: components.schemas, securitySchemes },
  };
}

const byPath = (a: RouteRecord, b: RouteRecord) => a.path.localeCompare(b.path) || a.method.localeCompare(b.method);

/** The route with the parameters and the answer that it had before the changes. */
function asOfThen(route: RouteRecord, changes: readonly CallChange[]): RouteRecord {
  const name = `${route.method} ${route.path}`;
  return changes.filter(({ call }) => call === name).reduce(before, route);
}

function before(route: RouteRecord, { describeQuery, describeAnswer }: CallChange): RouteRecord {
  const { query = {}, answers } = route;
  const success = answers[200];
  const answer = success?.properties?.response;
  return {
    ...route,
    ...(describeQuery && { query: describeQuery(query) as Schema }),
    ...(describeAnswer &&
      answer && {
        answers: {
          ...answers,
          200: { ...success, properties: { ...success.properties, response: describeAnswer(answer) as Schema } },
        },
      }),
  };
}

function operationOf(route: RouteRecord, components: Components): Operation {
  const { method, path, access, summary, params, query, body, consumes, answers, produces = [] } = route;
  return {
    operationId: operationId(method, path),
    summary,
    tags: [tagOf(path)],
    parameters: [...parametersOf(params, 'path'), ...parametersOf(query, 'query'), ...headersOf(method)],
    ...(body && {
      requestBody: {
        required: (body.required ?? []).length > 0,
        content: { [hasFile(body) ? 'multipart/form-data' : 'application/json']: { schema: components.refer(body) } },
      },
    }),
    ...(consumes && { requestBody: { required: true, content: mapped(consumes, (schema) => ({ schema })) } }),
    responses: Object.fromEntries(
      Object.entries(answers).map(([code, schema]) => [
        code,
        {
          description: STATUS_CODES[Number(code)] ?? code,
          content: contentOf(components.refer(schema), code === '200' ? produces : []),
        },
      ]),
    ),
    security: securityOf[access] ?? [],
  };
}

const mapped = <Of, To>(entries: Readonly<Record<string, Of>>, to: (entry: Of) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, to(entry)]));

/** What has a file in it is sent as a form. */
const hasFile = ({ properties = {} }: Schema) => Object.values(properties).some(({ format }) => format === 'binary');

/** A file by its media types, and JSON wherever an answer is not a file only. */
function contentOf(schema: Schema, produces: readonly string[]): Record<string, { schema: Schema }> {
  const file = { schema: { type: 'string', format: 'binary' } };
  return {
    ...(schema.format !== 'binary' && { 'application/json': { schema } }),
    ...Object.fromEntries(produces.map((mediaType) => [mediaType, file])),
  };
}

function parametersOf(schema: Schema | undefined, place: 'path' | 'query'): Parameter[] {
  return Object.entries(schema?.properties ?? {}).map(([name, { description, ...value }]) => ({
    name,
    in: place,
    // What has a default need not be given, though handlers always find it.
    required: place === 'path' || (value.default === undefined && (schema?.required?.includes(name) ?? false)),
    ...(description && { description }),
    schema: value,
  }));
}

function headersOf(method: string): Parameter[] {
  if (method !== 'POST') return [];
  const description = 'The same key within 24 h gets the first answer back';
  return [{ name: 'Idempotency-Key', in: 'header', required: false, description, schema: { type: 'string' } }];
}

/** `getLocations_ById_Listings`: paths that differ only in where a slash stands have names of their own. */
function operationId(method: string, path: string): string {
  const words = path
    .replace(/^\/api\//, '')
    .split('/')
    .map((segment) => (segment.startsWith(':') ? `by-${segment.slice(1)}` : segment))
    .map((segment) => segment.replace(/(?:^|[-.])(\w)/g, (_, letter: string) => letter.toUpperCase()));
  return method.toLowerCase() + words.join('_');
}

const tagOf = (path: string) => path.split('/').find((segment) => segment !== '' && segment !== 'api') ?? 'api';
