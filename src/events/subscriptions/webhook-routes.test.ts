import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';

const path = '/api/sales-partners/webhooks';
let api: TestApi;
let partner: TestPartner;

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
});
afterAll(() => api.close());

describe('creating', () => {
  test('a webhook is answered with its secret, once', async () => {
    const created = await partner.call('POST', path, { pushUrl: 'http://127.0.0.1:9/a', type: 'LOCATION_CREATED' });
    expect(created).toMatchObject({ code: 200 });
    console.log(JSON.stringify(created.body), Object.fromEntries(created.headers));
  });
});
