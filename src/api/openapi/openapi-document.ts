import { isDeepStrictEqual } from 'node:util';
import { partnerQuery } from '../../http/lists.ts';
import { linkedDataType } from '../../http/route.ts';
import { propertiesOf, type Schema } from '../../json-schema.ts';
import { timeline } from '../versions/timeline.ts';
import type { CallChange } from '../versions/version-change.ts';
import { Components } from './components.ts';
import {
  deliveryHeaders,
  deliveryResponses,
  eventSchemas,
  eventsTag,
  eventWebhooks,
  signedDelivery,
} from './event-webhooks.ts';
import { documentedPath, exampleOf, isAliasPath, namedExample, requestExamples, responseExample } from './examples.ts';
import { operationName, tagList, tagOf } from './operation-names.ts';
import {
  ErrorResponses,
  type ErrorStatuses,
  envelope,
  type Media,
  type NamedResponse,
  type Reference,
  responseSchema,
  successSchema,
} from './responses.ts';
import type { RouteRecord } from './route-record.ts';

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  /** With its description. */
  schema: Schema;
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters: (Parameter | Reference)[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, NamedResponse | Reference>;
  'x-error-statuses': ErrorStatuses;
  security: Record<string, string[]>[];
}

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string; contact: object; license: object };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: typeof eventWebhooks;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
    responses: Record<string, NamedResponse>;
    securitySchemes: object;
  };
}

const securitySchemes = {
  privateKey: { type: 'apiKey', in: 'header', name: 'privateKey', description: 'The private key of a sales partner' },
  accessToken: { type: 'apiKey', in: 'header', name: 'accessToken', description: "A user's session, from the sign-in" },
  publicKey: { type: 'apiKey', in: 'query', name: 'publicKey', description: 'The public key of a sales partner' },
};

function securityOf(route: RouteRecord): Operation['security'] {
  if (usesStoreKey(route)) return [{}, { publicKey: [] }];
  if (route.access === 'public') return [{ publicKey: [] }];
  if (route.access !== 'partner') return [];
  return route.userOnly ? [{ accessToken: [] }] : [{ privateKey: [] }, { accessToken: [] }];
}

const optional = (name: string, source: 'query' | 'header', schema: Schema): Parameter => ({
  name,
  in: source,
  required: false,
  schema,
});

/** Parameters that operations share. */
const parameters: Record<string, Parameter> = {
  ApiVersion: optional('v', 'query', {
    type: 'string',
    pattern: '^_?[0-9]{8}$',
    description: 'API version as YYYYMMDD; default: the version of the partner. Alternative: the header X-Api-Version.',
  }),
  IdempotencyKey: optional('Idempotency-Key', 'header', {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description: 'A request with the same key within 24 hours returns the stored response of the first request',
  }),
  ...Object.fromEntries(
    Object.entries(propertiesOf({ properties: partnerQuery })).map(([name, { 'x-parameter': title, ...schema }]) => [
      title,
      optional(name, 'query', schema),
    ]),
  ),
  ...deliveryHeaders,
};

const referTo = (name: string): Reference => ({ $ref: `#/components/parameters/${name}` });

interface DocumentOptions {
  /** URL of the API; default: relative to the document. */
  serverUrl?: string | undefined;
}

export function openApiDocument(
  routes: readonly RouteRecord[],
  version: string,
  { serverUrl = '/' }: DocumentOptions = {},
): OpenApiDocument {
  const later = timeline.filter((entry) => entry.version > version).toReversed();
  const planDependent = timeline.filter((entry) => entry.version <= version && entry.onlyWith !== undefined);
  const components = new Components({ later, planDependent });
  const errors = new ErrorResponses();
  const calls = later.flatMap((entry) => entry.calls ?? []);
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes.filter((one) => !isAlias(one, routes)).sort(byPath)) {
    const path = documentedPath(route.path);
    const examples = {
      // Requests of older versions can have other fields.
      request: later.length === 0 ? requestExamples[`${route.method} ${path}`] : undefined,
      response: responseExample(route, version),
    };
    const operation = operationOf(inVersion(route, calls), components, errors, examples);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation };
  }
  shareResponses(paths, errors.named);
  for (const schema of [...Object.values(eventSchemas), signedDelivery]) components.refer(schema);
  components.joinLargeRecords();
  components.joinCommonParts();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Waypost',
      version: `_${version}`,
      description:
        'Paths are case-insensitive. The prefix /api and hyphens are optional. PUT is the same as PATCH. Select a ' +
        'version with v=YYYYMMDD or the header X-Api-Version; the default is the version of your partner.',
      contact: { name: 'Waypost' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl, description: 'This installation' }],
    tags: [...tagList(routes.map(({ path }) => path)), eventsTag],
    paths,
    webhooks: eventWebhooks,
    components: {
      schemas: { Success: successSchema, ...errors.schemas, ...components.schemas },
      parameters,
      responses: { ...errors.named, ...deliveryResponses },
      securitySchemes,
    },
  };
}

/** The successful response of an operation, resolved if it is shared. */
export function successOf({ responses }: Operation, { components }: OpenApiDocument): NamedResponse | undefined {
  const success = responses[200];
  return success && '$ref' in success ? components.responses[success.$ref.split('/').at(-1) ?? ''] : success;
}

/** Aliases and PUT (the same as PATCH) are omitted, except the PUT of a location, which is in the specification. */
function isAlias({ method, path, summary }: RouteRecord, routes: readonly RouteRecord[]): boolean {
  if (isAliasPath(path)) return true;
  const isSame = (other: RouteRecord) => other.method === 'PATCH' && other.path === path && other.summary === summary;
  return method === 'PUT' && path !== '/api/locations/:id' && routes.some(isSame);
}

const byPath = (a: RouteRecord, b: RouteRecord) => a.path.localeCompare(b.path) || a.method.localeCompare(b.method);

/** The route with the parameters and response of the old version. */
function inVersion(route: RouteRecord, changes: readonly CallChange[]): RouteRecord {
  const name = `${route.method} ${route.path}`;
  return changes.filter(({ call }) => call === name).reduce(revertChange, route);
}

function revertChange(route: RouteRecord, { describeQuery, describeResponse }: CallChange): RouteRecord {
  const { query = {}, responses } = route;
  const success = responses[200];
  const response = success?.properties?.response;
  return {
    ...route,
    ...(describeQuery && { query: describeQuery(query) }),
    ...(describeResponse &&
      response && {
        responses: {
          ...responses,
          200: { ...success, properties: { ...success.properties, response: describeResponse(response) } },
        },
      }),
  };
}

function operationOf(
  route: RouteRecord,
  components: Components,
  errors: ErrorResponses,
  examples: { request: unknown; response: unknown },
): Operation {
  const { method, path, access, summary, params, query, body, consumes } = route;
  const isInBody = (one: Parameter | Reference) =>
    method === 'POST' && 'name' in one && body?.properties?.[one.name] !== undefined;
  return {
    operationId: operationName(method, path),
    summary,
    description: descriptionOf(route),
    tags: [tagOf(path)],
    parameters: [
      ...parametersOf(params, 'path', components),
      ...parametersOf(query, 'query', components).filter((one) => !isInBody(one)),
      referTo('ApiVersion'),
      // Keys belong to a partner, user or visitor: anonymous requests have none.
      ...(method === 'POST' && access !== 'anonymous' ? [referTo('IdempotencyKey')] : []),
    ],
    ...(body && {
      requestBody: {
        required: (body.required ?? []).length > 0,
        content: {
          [hasFile(body) ? 'multipart/form-data' : 'application/json']: {
            schema: components.refer(body),
            ...namedExample(examples.request ?? exampleOf(body)),
          },
        },
      },
    }),
    ...(consumes && {
      requestBody: {
        required: true,
        content: mapValues(consumes, (schema) => ({
          schema,
          // An example of a form would contain the bytes of its file.
          ...(schema.type === 'string' && namedExample(examples.request)),
        })),
      },
    }),
    ...responsesOf(route, components, errors, examples.response),
    security: securityOf(route),
  };
}

function responsesOf(
  { path, responses: schemas, produces = [] }: RouteRecord,
  components: Components,
  errors: ErrorResponses,
  example: unknown,
): Pick<Operation, 'responses' | 'x-error-statuses'> {
  const responses: Operation['responses'] = {};
  const statuses: ErrorStatuses = {};
  for (const [code, schema] of Object.entries(schemas)) {
    if (code === '200') {
      const media = { schema: envelope(components.refer(schema)), ...namedExample(example) };
      responses[code] = { description: 'OK', content: contentOf(media, produces) };
      continue;
    }
    // Without a record in the path, only the partner in salesPartnerId can be missing.
    const isCommon = code === '404' && !path.includes(':');
    statuses[code] = (schema.properties?.status?.enum ?? []) as string[];
    const failure = errors.refer(code, statuses[code], isCommon);
    responses[failure.code] = failure.response;
  }
  return { responses, 'x-error-statuses': statuses };
}

/** Moves responses of several operations to components. */
function shareResponses(paths: OpenApiDocument['paths'], named: Record<string, NamedResponse>): void {
  const users = new Map<string, Operation[]>();
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const text = JSON.stringify(operation.responses[200], (name, value) => (name === 'examples' ? undefined : value));
    users.set(text, [...(users.get(text) ?? []), operation]);
  }
  for (const operations of users.values()) {
    const [first] = operations;
    const response = first?.responses[200];
    if (operations.length < 2 || !response || '$ref' in response) continue;
    const { $ref } = responseSchema(response.content['application/json']?.schema) ?? {};
    const own = first.operationId.charAt(0).toUpperCase() + first.operationId.slice(1);
    const wanted = `${$ref?.split('/').at(-1) ?? own}Response`;
    const name = wanted in named ? `${own}Response` : wanted;
    const json = response.content['application/json'];
    if (json) Object.assign(json, joinedExamples(operations));
    named[name] = response;
    for (const operation of operations) operation.responses[200] = { $ref: `#/components/responses/${name}` };
  }
}

/** The common example, or one example per operation. */
function joinedExamples(operations: readonly Operation[]): Pick<Media, 'examples'> {
  const all = operations.map(({ operationId, responses }) => {
    const own = responses[200];
    return { operationId, value: own && 'content' in own && own.content['application/json']?.examples?.example?.value };
  });
  const isSame = all.every(({ value }) => isDeepStrictEqual(value, all[0]?.value));
  if (isSame) return namedExample(all[0]?.value);
  const own = all.filter(({ value }) => value !== undefined);
  return { examples: Object.fromEntries(own.map(({ operationId, value }) => [operationId, { value }])) };
}

const authenticationNotes: Record<string, string> = {
  public: 'Requires the public key of the partner. Any origin is allowed.',
  anonymous: 'No authentication required.',
};

const storeKeyNote = 'The store key is sufficient; the public key of the partner is optional. Any origin is allowed.';
const usesStoreKey = ({ access, path }: RouteRecord) => access === 'public' && path.includes(':storeKey');

const lagNote = 'May be read from a replica. The header x-replica-lag is then the maximum replication lag in seconds.';

/** The description with the required authentication. */
function descriptionOf(route: RouteRecord): string {
  const { summary, access, mayLag } = route;
  const description = `${summary}.${mayLag ? ` ${lagNote}` : ''}`;
  if (usesStoreKey(route)) return `${description} ${storeKeyNote}`;
  const keyNote = route.userOnly ? '' : 'a private key or ';
  return `${description} ${authenticationNotes[access] ?? `Requires ${keyNote}the access token of ${requiredUser(route)}.`}`;
}

function requiredUser({ needs, fieldGroup, accountManager }: RouteRecord): string {
  if (needs === 'ADMIN') return 'a user with the role ADMIN';
  const feature = `the feature ${needs}${fieldGroup ? ` for the field group ${fieldGroup}` : ''}`;
  if (!accountManager) return needs ? `a user with ${feature}` : 'a user';
  return needs
    ? `a user with the role ADMIN, or with the role ACCOUNT_MANAGER and ${feature}`
    : 'a user with the role ADMIN or ACCOUNT_MANAGER';
}

const mapValues = <Of, To>(entries: Readonly<Record<string, Of>>, to: (entry: Of) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, to(entry)]));

/** A body with a file is sent as a form. */
const hasFile = ({ properties = {} }: Schema) => Object.values(properties).some(({ format }) => format === 'binary');

/** Files by media type, and JSON unless the response is always a file. */
function contentOf(media: Media, produces: readonly string[]): Record<string, Media> {
  const file = { schema: { type: 'string', format: 'binary' } };
  const object = { schema: { type: 'object', description: 'schema.org LocalBusiness' } };
  return {
    ...(media.schema.format !== 'binary' && { 'application/json': media }),
    ...Object.fromEntries(produces.map((mediaType) => [mediaType, mediaType === linkedDataType ? object : file])),
  };
}

function parametersOf(
  schema: Schema | undefined,
  source: 'path' | 'query',
  components: Components,
): (Parameter | Reference)[] {
  return Object.entries(schema?.properties ?? {}).map(([name, value]) => {
    const { 'x-parameter': shared } = value;
    if (shared !== undefined) return referTo(shared);
    return {
      name,
      in: source,
      // A parameter with a default is optional, although the handler type requires it.
      required: source === 'path' || (value.default === undefined && (schema?.required?.includes(name) ?? false)),
      schema: components.refer(value),
    };
  });
}
