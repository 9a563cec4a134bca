import { test } from 'vitest';
import { TestApi } from '../../test/support/api.ts';

test('x', async () => {
  const api = await TestApi.start();
  const p = await api.addPartner();
  const path = '/api/sales-partners/webhooks';
  const show = (a: any) => console.log(a.code, JSON.stringify(a.body));
  show(await p.call('POST', path, {}));
  show(await p.call('POST', path, { pushUrl: 5, type: 'X', enabled: 'yes', retrySchedule: [0, 'a'] }));
  show(await p.call('POST', path, { pushUrl: 'https://10.0.0.1/', type: 'LOCATION_CREATED' }));
  show(await p.call('PATCH', path + '/1', {}));
  show(await p.call('PATCH', path + '/1', { type: null, description: 5 }));
  show(await p.call('PUT', '/api/sales-partners/1', { pushUrl: 'x' }));
  show(await p.call('POST', '/api/sales-partners', { identifier: 'ä ä', name: ' ' }));
  show(await p.call('GET', '/api/sales-partners?max=abc&offset=-1'));
  show(await p.call('GET', '/api/sales-partners/webhooks/abc'));
  show(await p.call('GET', '/api/event-types?v=abc'));
  show(await p.call('PUT', path, {}));
  show(await p.call('POST', path, [1]));
  show(await p.call('GET', path + '/77'));
  await api.close();
});
