import { expect, onTestFinished, test } from 'vitest';
import { eventually, goTo } from '../../support/browser.ts';
import { startReceiver } from '../../support/delivery.ts';
import type { ConsoleFixture } from './fixture.ts';

const webhooksPath = '/api/sales-partners/webhooks';
const longPath = `/${'a-long-path-without-any-space/'.repeat(4)}`;

export function narrowTests(fixture: ConsoleFixture): void {
  const firstId = async (path: string, list: string): Promise<number> =>
    (await fixture().scene.call('GET', path))[list][0].id;

  /** With a long URL, and deliveries that failed with a long response. */
  async function failingWebhook(): Promise<{ id: number; eventId: number }> {
    const { scene } = fixture();
    const receiver = await startReceiver(() => ({ status: 500, body: 'x'.repeat(3000) }));
    onTestFinished(() => receiver.close());
    const { id } = await scene.call('POST', webhooksPath, {
      type: 'LISTING_LINK_CHANGE',
      pushUrl: receiver.url(longPath),
    });
    const { eventIds } = await scene.call('POST', '/api/event-types/LISTING_LINK_CHANGE/emit', { count: 2 });
    const failed = async () =>
      (await scene.call('GET', `${webhooksPath}/${id}/deliveries?states=RETRYING`)).deliveries.length;
    await expect.poll(failed, eventually).toBe(2);
    return { id, eventId: eventIds[0] };
  }

  test('fits every page on 360 pixels', async () => {
    const { scene, admin } = fixture();
    const webhook = await failingWebhook();
    const location = `/locations/${await firstId('/api/locations?max=1', 'locations')}`;
    const webhookPath = `/settings/webhooks/${webhook.id}`;
    const paths = [
      '/',
      '/locations',
      '/locations/new',
      '/locations/import',
      ...[location, `${location}?tab=listings`, `${location}?tab=history`],
      '/listings',
      '/inbox',
      '/posts',
      '/posts/new',
      `/posts/${await firstId('/api/social-posts?max=1', 'socialPosts')}`,
      '/dashboard',
      '/assets',
      '/events',
      `/events/${webhook.eventId}`,
      '/settings/webhooks',
      ...[webhookPath, `${webhookPath}?tab=replays`, `${webhookPath}?tab=signature`, `${webhookPath}?tab=details`],
      `${webhookPath}?delivery=${webhook.eventId}-${webhook.id}`,
      '/settings/api',
      '/settings/users',
      '/settings/audit',
      '/sandbox',
    ];
    const { page, context } = await scene.openAs(admin, '/', { width: 360, height: 780 });
    const tooWide: string[] = [];
    for (const path of paths) {
      await goTo(page, path);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.waitForLoadState('networkidle');
      const [needed = 0, available = 0] = await page.evaluate<number[]>(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      );
      if (needed > available) tooWide.push(`${path} needs ${needed} px`);
    }
    await context.close();
    expect(tooWide).toEqual([]);
  });
}
