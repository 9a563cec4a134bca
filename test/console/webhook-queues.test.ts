import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testBrokers } from '../support/brokers.ts';
import {
  accessibilityViolations,
  describeInBrowser,
  eventually,
  goTo,
  overlay,
  saveScreenshots,
} from '../support/browser.ts';
import { ConsoleScene } from '../support/console.ts';
import { brokerSecrets, type TestBroker } from '../support/test-broker.ts';
import { webhooksPath } from '../support/webhook-console.ts';

const otherQueues = [
  ['kafka', 'kafka://127.0.0.1:9092?topic=waypost.{type}', 'Kafka at 127.0.0.1:9092, topic waypost.{type}.'],
  [
    'sqs',
    'sqs+http://key:secret@127.0.0.1:9324/000000000000/{type}?region=eu-central-1',
    'Amazon SQS at 127.0.0.1:9324, queue 000000000000/{type}.',
  ],
] as const;
// It starts within a second.
const nats = testBrokers.find(({ name }) => name === 'NATS');

describe.skipIf(!nats?.isInstalled)('with a broker', () => {
  describeInBrowser('queues as destinations', { timeout: 120_000 }, () => {
    let scene: ConsoleScene;
    let broker: TestBroker;
    let page: Page;
    let pageErrors: string[];

    beforeAll(async () => {
      broker = (await nats?.create()) as TestBroker;
      await broker.start();
      await broker.create('waypost');
      scene = await ConsoleScene.start({ WAYPOST_EMIT_EXAMPLES: 'on' });
      const admin = await scene.addUser({ role: 'ADMIN', name: 'Anna Berg', email: 'anna@harbour.example' });
      ({ page, pageErrors } = await scene.openAs(admin, '/settings/webhooks'));
    }, 120_000);
    afterAll(async () => {
      await scene?.close();
      await broker?.stop();
    });

    test('adds a queue, hides its credentials, tests it and shows the message of a delivery', async () => {
      await page.getByRole('button', { name: 'Add webhook' }).first().click();
      const form = page.getByRole('dialog', { name: 'Add a webhook' });
      await form.getByRole('combobox', { name: 'Event type' }).fill('business creat');
      await page.getByRole('option', { name: /^Business created/ }).click();
      const url = form.getByRole('textbox', { name: 'Push URL' });
      await url.fill('amqps://user:password@rabbitmq.example.com');
      await url.blur();
      await form.getByText('The push URL must name either a queue or an exchange.').waitFor();
      for (const [name, text, description] of otherQueues) {
        await url.fill(text);
        await url.blur();
        await form.getByText(description).waitFor();
        await saveScreenshots(page, `webhook-${name}-form`);
      }
      await url.fill(broker.url('waypost'));
      await url.blur();
      await form.getByText(`NATS JetStream at 127.0.0.1:${broker.port}, subject waypost.`).waitFor();
      expect(await accessibilityViolations(page, overlay)).toEqual([]);
      await saveScreenshots(page, 'webhook-queue-form');
      await form.getByRole('button', { name: 'Add webhook' }).click();
      await page.getByRole('button', { name: 'I have saved the secret' }).click();
      await expect.poll(() => page.getByRole('dialog').count(), eventually).toBe(0);
      const [webhook] = await scene.call('GET', webhooksPath);

      await goTo(page, `/settings/webhooks/${webhook.id}?tab=details`);
      await page.getByText('subject waypost, with saved credentials').waitFor();
      await page.getByRole('button', { name: 'Send test' }).click();
      const trial = page.getByRole('dialog', { name: /^Test / });
      await trial.getByRole('button', { name: 'Send test' }).click();
      await trial.getByText('The receiver accepted the delivery').waitFor();
      await trial.getByText('Confirmation of the broker').waitFor();
      await trial.getByRole('button', { name: 'Close' }).last().click();

      const { eventIds } = await scene.call('POST', '/api/event-types/BUSINESS_CREATED/emit', { count: 1 });
      await goTo(page, `/settings/webhooks/${webhook.id}`);
      const row = page.getByRole('row').filter({ hasText: `Event ${eventIds[0]}` });
      await row.getByText('Delivered').waitFor();
      await row.getByText('Confirmed by the broker').waitFor();
      await page.getByRole('button', { name: `Event ${eventIds[0]}` }).click();
      const drawer = page.getByRole('dialog');
      await drawer.getByText('sequence', { exact: true }).waitFor();
      await drawer.getByRole('button', { name: 'Show message' }).click();
      await drawer.getByRole('rowheader', { name: 'webhook-signature' }).waitFor();
      expect(await drawer.getByText('Copy as curl').count()).toBe(0);
      expect(await accessibilityViolations(page, overlay)).toEqual([]);
      await saveScreenshots(page, 'webhook-queue-delivery');
      const shown = await page.content();
      for (const secret of brokerSecrets) expect(shown).not.toContain(secret);
      expect(pageErrors).toEqual([]);
    });
  });
});
