import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi } from '../../../test/support/api.ts';
import type { Schema } from '../../json-schema.ts';
import type { RouteRecord } from '../openapi/route-record.ts';
import { timeline } from './timeline.ts';
import { recordPathsIn } from './walk.ts';

let api: TestApi;
let routes: readonly RouteRecord[];
beforeAll(async () => {
  api = await TestApi.start();
  routes = api.server.routeRecords;
});
afterAll(() => api.close());

const kinds = new Set(timeline.flatMap(({ shapes = [] }) => shapes.map(({ resource }) => resource)));

/** `METHOD path` of the routes with a resource in the body or the response. */
function routesWith(kind: string, where: 'body' | 'response'): string[] {
  return routes
    .filter(({ body, responses }) => recordPathsIn((where === 'body' ? body : responses['200']) ?? {}, kinds).has(kind))
    .map(({ method, path }) => `${method} ${path}`);
}

const written = ['Location', 'ServiceItem', 'SocialPost', 'User', 'ProductPlan', 'DataPointFilter'].concat([
  'ContentList',
  'ContentItem',
  'StoreFinderSettings',
]);

test.for([...kinds])('%s is found in responses of routes', (kind) => {
  expect(routesWith(kind, 'response')).not.toEqual([]);
});

test.for(written)('%s is found in request bodies of routes', (kind) => {
  expect(routesWith(kind, 'body')).not.toEqual([]);
});

test('the list of location endpoints is complete', () => {
  expect(routesWith('Location', 'body').sort()).toEqual([
    'PATCH /api/locations',
    'PATCH /api/locations/:id',
    'POST /api/checkout/locations',
    'POST /api/locations',
    'POST /api/locations/:id',
    'PUT /api/locations/:id',
  ]);
  expect(routesWith('Location', 'response')).toEqual(
    expect.arrayContaining(['GET /api/locations', 'GET /api/locations/:id', 'POST /api/locations/:id/status']),
  );
  expect(routesWith('User', 'response')).toEqual(
    expect.arrayContaining(['POST /api/users/login', 'GET /api/users/me', 'GET /api/users']),
  );
});

test('every endpoint of a change exists', () => {
  const names = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  const calls = timeline.flatMap((entry) => entry.calls ?? []).map(({ call }) => call);
  expect(calls.filter((call) => !names.has(call))).toEqual([]);
});

test('no removed field or parameter exists in the newest version', () => {
  const clashing: string[] = [];
  for (const { shapes = [], calls = [] } of timeline) {
    for (const { resource, replaced = {} } of shapes) {
      const fields = routes.flatMap(({ body }) => schemasOf(body, resource)).map(({ properties = {} }) => properties);
      clashing.push(...Object.keys(replaced).filter((name) => fields.some((known) => Object.hasOwn(known, name))));
    }
    for (const { call, replaced = {} } of calls) {
      const query = routes.find(({ method, path }) => `${method} ${path}` === call)?.query?.properties ?? {};
      clashing.push(...Object.keys(replaced).filter((name) => Object.hasOwn(query, name)));
    }
  }
  expect(clashing).toEqual([]);
});

/** The schemas of a resource in another schema. */
function schemasOf(schema: Schema | undefined, kind: string): Schema[] {
  if (!schema) return [];
  const inner = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])];
  return [...(schema['x-resource'] === kind ? [schema] : []), ...inner.flatMap((one) => schemasOf(one, kind))];
}
