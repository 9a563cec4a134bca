import { describe, expect, test } from 'vitest';
import { PathMap } from './path-map.ts';

const paths = new PathMap();
for (const [method, path] of [
  ['GET', '/health/live'],
  ['GET', '/api/sales-partners'],
  ['GET', '/api/sales-partners/:id'],
  ['PUT', '/api/sales-partners/:id'],
  ['POST', '/api/sales-partners/webhooks'],
  ['POST', '/api/sales-partners/webhooks/:id/rotate-secret'],
  ['GET', '/api/data-points'],
  ['GET', '/api/data-points/filters/:id'],
  ['POST', '/api/social-posts'],
  ['POST', '/api/dashboard-exports'],
  ['GET', '/api/locations'],
  ['GET', '/api/locations/:id'],
  ['GET', '/api/locations/:id/suggestions'],
  ['GET', '/api/store-finders/:storeKey/locations/all'],
  ['GET', '/api/event-types/:type'],
] as const) {
  paths.add(method, path);
}

describe('spellings of a path', () => {
  test.each([
    ['/api/sales-partners', '/api/sales-partners'],
    ['/sales-partners', '/api/sales-partners'],
    ['/api/salespartners', '/api/sales-partners'],
    ['/SalesPartners', '/api/sales-partners'],
    ['/API/Sales-Partners/', '/api/sales-partners'],
    ['/api/salespartners/webhooks', '/api/sales-partners/webhooks'],
    ['/salesPartners/WEBHOOKS/7/rotateSecret', '/api/sales-partners/webhooks/7/rotate-secret'],
    ['/api/datapoints', '/api/data-points'],
    ['/api/dataPoints/filters/12', '/api/data-points/filters/12'],
    ['/api/socialposts', '/api/social-posts'],
    ['/api/dashboardExports', '/api/dashboard-exports'],
    ['/api/storefinders/abc/locations/all', '/api/store-finders/abc/locations/all'],
    ['/api/location/5', '/api/locations/5'],
    ['/location/5/suggestions', '/api/locations/5/suggestions'],
    ['/locations', '/api/locations'],
  ])('%s', (given, canonical) => {
    expect(paths.rewrite(given)).toBe(canonical);
  });
});

describe('unknown paths are unchanged', () => {
  test.each([
    ['an id in capitals', '/event-types/LISTING_UPDATE', '/api/event-types/LISTING_UPDATE'],
    [
      'an id that looks like a segment',
      '/api/storefinders/Sales-Partners/locations/all',
      '/api/store-finders/Sales-Partners/locations/all',
    ],
    ['an id with hyphens', '/api/eventTypes/Data-Points', '/api/event-types/Data-Points'],
    ['an encoded id', '/api/eventtypes/a%2Fb', '/api/event-types/a%2Fb'],
    [
      'a query',
      '/salespartners?Type=Sales-Partners&v=_20230407',
      '/api/sales-partners?Type=Sales-Partners&v=_20230407',
    ],
    ['a page of another house', '/console/Sales-Partners', '/console/Sales-Partners'],
    ['a path that leads on to nothing', '/api/SalesPartners/1/2/3', '/api/SalesPartners/1/2/3'],
    ['an id that is not there', '/api/locations//suggestions', '/api/locations//suggestions'],
    ['the root', '/', '/'],
    ['a name of the language itself', '/constructor/__proto__', '/constructor/__proto__'],
    ['health', '/health/live', '/health/live'],
    ['another spelling of a path outside of /api', '/Health/Live', '/Health/Live'],
    ['a path outside of /api below /api', '/api/health/live', '/api/health/live'],
  ])('%s', (_what, given, expected) => {
    expect(paths.rewrite(given)).toBe(expected);
  });
});

test('a path outside /api has one spelling', () => {
  expect(paths.find('/health/live')?.methods).toEqual(new Set(['GET']));
  expect(paths.find('/health/live/')?.path).toBe('/health/live');
  for (const path of ['/HEALTH/live', '/he-alth/live', '/api/health/live']) {
    expect(paths.find(path), path).toBeUndefined();
  }
});

test('a fixed segment takes precedence over an id, with the id as a fallback', () => {
  expect(paths.find('/api/sales-partners/webhooks')?.methods).toEqual(new Set(['POST']));
  expect(paths.find('/api/sales-partners/12')?.methods).toEqual(new Set(['GET', 'PUT']));
  const tricky = new PathMap();
  tricky.add('GET', '/api/a/b/c');
  tricky.add('GET', '/api/a/:id/d');
  expect(tricky.rewrite('/a/B/d')).toBe('/api/a/B/d');
});
