import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { eventually } from './browser.ts';
import { ConsoleScene } from './console.ts';
import { type Receiver, startReceiver } from './delivery.ts';

export const webhooksPath = '/api/sales-partners/webhooks';

interface Opened {
  scene: ConsoleScene;
  receiver: Receiver;
  /** The administrator's tab, shared by all tests. */
  page: Page;
  pageErrors: string[];
}

interface Destination {
  pushUrl: string;
  types: string[];
  webhooks: { id: number; type: string; description?: string; enabled: boolean; previousSecretSignsUntil?: string }[];
}

/** The Webhooks page in the tab of an administrator, with a receiver, for all tests of a `describe`. */
export function openWebhooks() {
  let opened: Opened;

  beforeAll(async () => {
    const receiver = await startReceiver();
    // The next automatic attempt is far away, so deliveries here are manual retries.
    const scene = await ConsoleScene.start({ WAYPOST_EMIT_EXAMPLES: 'on', WAYPOST_RETRY_SCHEDULE: '1h,1h' });
    const admin = await scene.addUser({ role: 'ADMIN', name: 'Anna Berg', email: 'anna@harbour.example' });
    const { page, pageErrors } = await scene.openAs(admin, '/settings/webhooks');
    opened = { scene, receiver, page, pageErrors };
  }, 120_000);
  afterEach(() => {
    opened.receiver.respond = () => 200;
  });
  afterAll(async () => {
    await opened?.scene.close();
    await opened?.receiver.close();
  });

  const row = (text: string) => opened.page.getByRole('row').filter({ hasText: text });
  return {
    current: (): Opened => opened,
    emit: async (type: string, count = 1): Promise<number[]> =>
      (await opened.scene.call('POST', `/api/event-types/${type}/emit`, { count })).eventIds,
    addWebhook: (type: string, hook: string, more: object = {}) =>
      opened.scene.call('POST', webhooksPath, { type, pushUrl: opened.receiver.url(hook), ...more }),
    addDestination: (hook: string, types: string[], more: object = {}): Promise<{ id: number }[]> =>
      opened.scene.call('POST', webhooksPath, { types, pushUrl: opened.receiver.url(hook), ...more }),
    destination: async (hook: string): Promise<Destination | undefined> =>
      (await opened.scene.call('GET', `${webhooksPath}/destinations`)).find(
        ({ pushUrl }: Destination) => pushUrl === opened.receiver.url(hook),
      ),
    deliveriesOf: async (id: number, states: string) =>
      (await opened.scene.call('GET', `${webhooksPath}/${id}/deliveries?states=${states}`)).deliveries,
    row,
    destinationRow: (hook: string) => row(opened.receiver.url(hook)),
    async openMenu(hook: string, item: string): Promise<Locator> {
      const name = `Actions for ${opened.receiver.url(hook)}`;
      await opened.page.getByRole('button', { name, exact: true }).click();
      await opened.page.getByRole('menuitem', { name: item }).click();
      return opened.page.getByRole('dialog');
    },
    dialogsClosed: () => expect.poll(() => opened.page.getByRole('dialog').count(), eventually).toBe(0),
  };
}
