import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../test/support/api.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { newestVersion } from './versions/timeline.ts';

/** Every method and path of the specification, in its own spelling. */
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
  GET /api/features
  GET /api/categories
  GET /locations/{id}/suggestions
  PUT /locations/{id}/suggestions
  POST /api/socialposts
`;

/** The product API, and what belongs to it under other names: each comes with an issue of its own. */
const stillMissing = `
  POST /api/dashboardExports
  GET /api/dashboard/listing-health
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

const linesOf = (list: string) =>
  list
    .trim()
    .split('\n')
    .map((line) => line.trim());

let api: TestApi;
let partner: TestPartner;
beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
  partner = await api.addPartner();
});
afterAll(() => api.close());

/** Calls it with an id that does not exist and nothing in its body: what comes back is about that, in the envelope. */
async function asked(line: string) {
  const [method = '', path = ''] = line.split(' ');
  const body = method === 'GET' || method === 'DELETE' ? undefined : {};
  return partner.call(method, path.replace(/\{\w+\}/g, '999999999'), body);
}

const isUnrouted = ({ body }: { body: { message?: string } }) => /^There is no endpoint/.test(body.message ?? '');

/** Without /api, hyphens, capitals and the names of parameters, as the router takes them all for the same. */
const plain = (path: string) =>
  path
    .toLowerCase()
    .replace(/^\/api/, '')
    .replaceAll('-', '')
    .replace(/^\/location\//, '/locations/')
    .replace(/\{\w+\}/g, '{}');

describe('every endpoint of the specification', () => {
  test.for(linesOf(named))('%s answers in the envelope and is documented', async (line) => {
    const answer = await asked(line);
    expect(isUnrouted(answer), `${answer.code} ${answer.body.message}`).toBe(false);
    expect(answer.body).toMatchObject({ status: expect.stringMatching(/^[A-Z_]+$/) });

    const [method = '', path = ''] = line.split(' ');
    const { paths } = openApiDocument(api.server.routeRecords, newestVersion);
    const documented = Object.keys(paths).filter((known) => plain(known) === plain(path));
    expect(documented).toHaveLength(1);
    expect(paths[documented[0] as string]).toHaveProperty(method.toLowerCase());
  });

  test.for(linesOf(stillMissing))('%s comes with its own issue', async (line) => {
    const answer = await asked(line);
    expect([404, 405]).toContain(answer.code);
    expect(answer.body.status).toMatch(/^(NOT_FOUND|METHOD_NOT_ALLOWED)$/);
  });
});

test('what the change record speaks of beside the tables is routed as well', () => {
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
