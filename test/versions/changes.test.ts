import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { timeline } from '../../src/api/versions/timeline.ts';
import { TestApi, type TestPartner } from '../support/api.ts';
import { enableCollections } from '../support/product-plans.ts';
import { clientsAround } from './clients.ts';
import { contentRows } from './content-rows.ts';
import { datapointRows } from './datapoint-rows.ts';
import { labelRows } from './label-rows.ts';
import { listingRows } from './listing-rows.ts';
import { locationRows } from './location-rows.ts';
import { productPlanRows } from './product-plan-rows.ts';
import { socialPostRows } from './social-post-rows.ts';
import { storeFinderRows } from './store-finder-rows.ts';
import { suggestionRows } from './suggestion-rows.ts';
import { userRows } from './user-rows.ts';

const nouns = {
  locations: locationRows,
  labels: labelRows,
  content: contentRows,
  suggestions: suggestionRows,
  listings: listingRows,
  datapoints: datapointRows,
  'social posts': socialPostRows,
  'the store finder': storeFinderRows,
  users: userRows,
  'product plans': productPlanRows,
};

let api: TestApi;
let partner: TestPartner;
beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
  partner = await api.addPartner();
  await enableCollections(api, partner);
});
afterAll(() => api.close());

describe.each(Object.entries(nouns))('%s before and on the version', (_noun, rows) => {
  test.for(Object.entries(rows))('%s', ([name, run]) => run(clientsAround(name.slice(0, 8), api, partner)));
});

test('every breaking entry has a row', () => {
  const tested = new Set(Object.values(nouns).flatMap((rows) => Object.keys(rows).map((name) => name.slice(0, 8))));
  const breaking = timeline.filter(({ kind }) => kind === 'BREAKING').map(({ version }) => version);
  expect(breaking.filter((version) => !tested.has(version))).toEqual([]);
});
