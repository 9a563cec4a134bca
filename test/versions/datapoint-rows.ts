import { expect } from 'vitest';
import type { Rows } from './clients.ts';

export const datapointRows: Rows = {
  '20191022 filters of datapoints': async ({ partner, before, on, dayBefore }) => {
    const path = '/api/data-points/filters';
    const saved = await before('POST', path, { name: 'Open', onlyUnread: true, onlyUnreplied: false });
    expect(saved).toMatchObject({ onlyUnread: true, onlyUnreplied: false });
    expect(saved).not.toHaveProperty('isRead');
    expect(await on('GET', `${path}/${saved.id}`)).toMatchObject({ isRead: false, hasReply: null, hasText: null });
    await on('PATCH', `${path}/${saved.id}`, { isRead: true, hasText: true });
    await before('PUT', `${path}/${saved.id}`, { name: 'Done', onlyUnread: false, onlyUnreplied: true });
    expect(await on('GET', `${path}/${saved.id}`)).toMatchObject({
      name: 'Done',
      isRead: true,
      hasReply: false,
      hasText: true,
    });
    for (const query of ['onlyUnread=true&onlyUnreplied=false', 'onlyUnread=false']) {
      const { code, body } = await partner.call('GET', `/api/data-points?${query}&v=${dayBefore}`);
      expect(code).toBe(200);
      expect(body.warnings).toContain('onlyUnread is deprecated since _20191022: it is now isRead.');
    }
  },

  '20190104 a page of datapoints has at most 1000 entries': async ({ partner, before, day }) => {
    expect((await before('GET', '/api/data-points?max=1500')).inbox).toMatchObject({ pageSize: 1500 });
    const { body } = await partner.call('GET', `/api/data-points?max=1500&v=${day}`);
    expect(body).toMatchObject({
      response: { inbox: { pageSize: 1000 } },
      warnings: [expect.stringContaining('1000')],
    });
  },
};
