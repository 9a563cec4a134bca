import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../test/support/api.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { newestVersion } from './versions/timeline.ts';

/** The methods and paths of the specification: webhooks and other endpoints. */
const named = `
  POST /api/sales-partners/webhooks
  POST /api/salespartners/webhooks
  GET /api/sales-partners/subscribable-event-types
  PUT /api/sales-partners/{id}
  POST /api/location/{id}
  PUT /api/location/{id}
  GET /api/location/{id}
  GET /api/locations
  GET /api/datapoints
  GET /api/datapoints/filters/{id}
  GET /api/dashboard/listing-health
  POST /api/dashboardExports
  GET /api/features
  GET /api/categories
  GET /locations/{id}/suggestions
  PUT /locations/{id}/suggestions
  POST /api/socialposts
`;

/** The product API. */
const product = `
  GET /dashboard/customer-feedback
  GET /dashboard/customer-feedback-keywords
  GET /dashboard/customer-feedback/by-period
  GET /dashboard/data-availability
  GET /dashboard/excel-export
  POST /dashboard/excel-exports
  GET /dashboard/excel-exports/{id}
  PATCH /dashboard/excel-exports/{id}
  GET /dashboard/excel-exports/{jobId}/download
  GET /dashboard/export-insights-data
  GET /dashboard/export-insights-data-with-threshold
  GET /dashboard/insights-data
  GET /dashboard/insights-data/warnings
  GET /dashboard/listing-health
  GET /dashboard/listing-health/{locationId}
  GET /dashboard/profile-completeness
  GET /dashboard/review-response-time
  GET /dashboard/search-keywords
  GET /dashboard/suppressed-duplicates
  GET /dashboard/visibility-index
  GET /dam/assets
  GET /dam/assets/{id}
  PATCH /dam/assets/{id}
  DELETE /dam/assets/{id}
  GET /dam/folders
  POST /dam/folders
  GET /dam/folders/{id}
  PATCH /dam/folders/{id}
  DELETE /dam/folders/{id}
  POST /social-templates
  PATCH /social-templates/{id}
  POST /home/key-metrics
  GET /home/key-metrics/configuration
  PUT /home/key-metrics/configuration
  GET /home/locations/ranks
  POST /home/locations/ranks
  GET /home/locations/score
  POST /home/locations/score
  GET /home/suggestions
  POST /home/suggestions
  POST /home/suggestions/dismiss
  GET /home/tasks
  POST /home/tasks
  POST /home/tasks/dismiss
  DELETE /home/tasks/dismiss
  GET /home/tasks/locations
  POST /home/tasks/locations
  POST /social-ai/generate-content
  GET /near-me-check/categories
  POST /report
  GET /report/{id}
`;

const linesOf = (list: string) => list.split('\n').flatMap((line) => line.trim() || []);

let api: TestApi;
let partner: TestPartner;
beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
  partner = await api.addPartner();
});
afterAll(() => api.close());

/** Without /api, hyphens, capitals and parameter names, which the router ignores. */
const plain = (path: string) =>
  path
    .toLowerCase()
    .replace(/^\/api/, '')
    .replaceAll('-', '')
    .replace(/^\/location\//, '/locations/')
    .replace(/\{\w+\}/g, '{}');

/** The operations of the newest document for a method and a path in any spelling. */
function documented(line: string): string[] {
  const [method = '', path = ''] = line.split(' ');
  const { paths } = openApiDocument(api.server.routeRecords, newestVersion);
  return Object.keys(paths).filter(
    (known) => plain(known) === plain(path) && Object.hasOwn(paths[known] ?? {}, method.toLowerCase()),
  );
}

/** Calls the endpoint with an unknown id and an empty body, with and without /api: returns an envelope or a file. */
async function expectEndpoint(line: string): Promise<void> {
  const [method = '', path = ''] = line.split(' ');
  const body = method === 'GET' || method === 'DELETE' ? undefined : {};
  const bare = path.replace(/^\/api/, '').replace(/\{\w+\}/g, '999999999');
  for (const spelling of [bare, `/api${bare}`]) {
    const response = await partner.call(method, spelling, body);
    expect(response.code, spelling).not.toBe(405);
    const fault = api.logLines.findLast(({ event }) => event === 'request.failed')?.err;
    expect(response.code, `${spelling} ${JSON.stringify(fault)?.slice(0, 400)}`).toBeLessThan(500);
    const isFile = response.headers.has('content-disposition');
    if (!isFile) expect(response.body).toMatchObject({ status: expect.stringMatching(/^[A-Z_]+$/) });
    expect(response.body.message ?? '').not.toMatch(/^There is no endpoint/);
  }
}

describe('every endpoint of the specification exists and is documented', () => {
  test.for(linesOf(named + product))('%s', async (line) => {
    expect(documented(line)).toHaveLength(1);
    await expectEndpoint(line);
  });
});

test('every endpoint of the changelog exists', () => {
  const { paths } = openApiDocument(api.server.routeRecords, newestVersion);
  expect(Object.keys(paths)).toEqual(
    expect.arrayContaining([
      '/api/versions',
      '/api/store-finders/{storeKey}/settings',
      '/api/store-finders/{storeKey}/filters',
      '/api/store-finders/{storeKey}/locations',
      '/api/store-finders/{storeKey}/locations/all',
      '/api/store-finders/{storeKey}/locations/{id}',
      '/api/content-collections',
      '/api/locations/{id}/content-lists',
      '/api/users/login',
      '/api/users/me',
    ]),
  );
});
