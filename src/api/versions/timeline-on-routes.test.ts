import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi } from '../../../test/support/api.ts';
import type { RouteRecord } from '../openapi/route-record.ts';
import { placesIn } from './shape-places.ts';
import { timeline } from './timeline.ts';

let api: TestApi;
let routes: readonly RouteRecord[];
beforeAll(async () => {
  api = await TestApi.start();
  routes = api.server.routeRecords;
});
afterAll(() => api.close());

const kinds = new Set(timeline.flatMap(({ shapes = [] }) => shapes.map(({ resource }) => resource)));

/** `METHOD path` of the routes that have records of a kind in what they take or in what they answer. */
function routesWith(kind: string, where: 'body' | 'answer'): string[] {
  return routes
    .filter(({ body, answers }) => placesIn((where === 'body' ? body : answers['200']) ?? {}, kinds).has(kind))
    .map(({ method, path }) => `${method} ${path}`);
}

const written = ['Location', 'ServiceItem', 'SocialPost', 'User', 'ProductPlan', 'DataPointFilter'].concat([
  'ContentList',
  'ContentItem',
  'StoreFinderSettings',
]);

test.for([...kinds].filter((kind) => kind !== 'ListingHealth'))('%s is found in what routes answer', (kind) => {
  expect(routesWith(kind, 'answer')).not.toEqual([]);
});

test.for(written)('%s is found in what routes take', (kind) => {
  expect(routesWith(kind, 'body')).not.toEqual([]);
});

test('every call that takes or answers locations is known as such', () => {
  expect(routesWith('Location', 'body').sort()).toEqual([
    'PATCH /api/locations',
    'PATCH /api/locations/:id',
    'POST /api/checkout/locations',
    'POST /api/locations',
    'POST /api/locations/:id',
    'PUT /api/locations/:id',
  ]);
  expect(routesWith('Location', 'answer')).toEqual(
    expect.arrayContaining(['GET /api/locations', 'GET /api/locations/:id', 'POST /api/locations/:id/status']),
  );
  expect(routesWith('User', 'answer')).toEqual(
    expect.arrayContaining(['POST /api/users/login', 'GET /api/users/me', 'GET /api/users']),
  );
});

test('every call that a change names is a route', () => {
  const names = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  const calls = timeline.flatMap((entry) => entry.calls ?? []).map(({ call }) => call);
  expect(calls.filter((call) => !names.has(call))).toEqual([]);
});
