import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  accessibilityViolations,
  describeInBrowser,
  eventually,
  goTo,
  overlay,
  saveScreenshots,
} from '../support/browser.ts';
import { ConsoleScene, type ConsoleUser } from '../support/console.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../support/delivery.ts';
import { addDeliveries, addStatistics } from '../support/webhook-history.ts';

const path = '/api/sales-partners/webhooks';

describeInBrowser('events and deliveries', { timeout: 120_000 }, () => {
  let scene: ConsoleScene;
  let receiver: Receiver;
  let admin: ConsoleUser;
  let crm: { id: number; secret: string };
  /** The administrator's tab, shared by all tests. Dark mode, to check status colours. */
  let page: Page;
  let pageErrors: string[];

  beforeAll(async () => {
    receiver = await startReceiver(({ path }) =>
      path === '/flaky' ? { status: 502, body: '<h1>Bad gateway</h1>' } : { status: 200, body: '{"stored":true}' },
    );
    scene = await ConsoleScene.start({ WAYPOST_EMIT_EXAMPLES: 'on' });
    admin = await scene.addUser({ role: 'ADMIN', name: 'Anna Berg' });
    crm = await scene.call('POST', path, {
      type: 'LOCATION_CREATED',
      pushUrl: receiver.url('/crm'),
      description: 'CRM',
    });
    ({ page, pageErrors } = await scene.openAs(admin, '/', { colors: 'dark' }));
    await page.getByRole('link', { name: 'Events' }).waitFor();
  }, 120_000);
  afterAll(async () => {
    await scene?.close();
    await receiver?.close();
  });

  const emit = async (type: string, count = 1): Promise<number[]> =>
    (await scene.call('POST', `/api/event-types/${type}/emit`, { count })).eventIds;
  const row = (text: string) => page.getByRole('row').filter({ hasText: text });

  test('lists every event with its deliveries, also without subscribed webhooks', async () => {
    await scene.call('POST', path, { type: 'LOCATION_CREATED', pushUrl: receiver.url('/flaky') });
    const [undeliveredId] = await emit('BUSINESS_CREATED');
    const [deliveredId] = await emit('LOCATION_CREATED');
    await page.getByRole('link', { name: 'Events' }).click();
    await row(`Event ${undeliveredId}`).getByText('No webhook was subscribed to BUSINESS_CREATED').waitFor();
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Refresh' }).click();
        return row(`Event ${deliveredId}`).textContent();
      }, eventually)
      .toMatch(/Delivered to 1 webhook and being retried for 1 webhook/);
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'events');
    expect(await page.getByRole('row').nth(1).textContent()).toContain(`Event ${deliveredId}`);
    // The location is unknown, so its id is shown instead of its name.
    expect(await row(`Event ${deliveredId}`).textContent()).toContain('Location 51877 · Bäckerei Lindner');
    await page.getByRole('columnheader', { name: 'Recorded' }).getByRole('button').click();
    await expect.poll(() => page.getByRole('row').nth(1).textContent(), eventually).toContain(`Event ${undeliveredId}`);

    await page.getByRole('combobox', { name: 'Type' }).fill('business creat');
    await page.getByRole('option', { name: 'Business created' }).click();
    await expect.poll(() => page.url(), eventually).toContain('BUSINESS_CREATED');
    await expect.poll(() => row(`Event ${deliveredId}`).count(), eventually).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: /Business created/ }).click();
    await page.getByText('Not delivered to any webhook').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'event-unheard');
    await page.getByRole('button', { name: '2 webhooks for other event types' }).click();
    await page.getByText('The webhook was subscribed to another event type').first().waitFor();
    // Without a delivery, there is nothing to open.
    expect(await page.getByRole('table', { name: 'Deliveries' }).getByRole('button').count()).toBe(0);

    await page.getByRole('link', { name: 'Events' }).first().click();
    await page.getByRole('textbox', { name: 'Event ID' }).fill(String(deliveredId));
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Event' }).last().waitFor();
    await row('/crm').getByText('Delivered on attempt 1').waitFor();
    await row('/flaky').getByText('The receiver responded with 502').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'event');
    await page.getByRole('button', { name: /flaky/ }).click();
    const drawer = page.getByRole('dialog', { name: `Delivery of event ${deliveredId}` });
    await drawer.getByText('Cause of failure').waitFor();
    await drawer.getByText('<h1>Bad gateway</h1>').waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'delivery');
    expect(pageErrors).toEqual([]);
  });

  test('searches events and deliveries by the value of a field', async () => {
    const [id] = await emit('LOCATION_CREATED');
    const field = page.getByRole('searchbox', { name: 'Field value' });
    const lists = [
      ['/events', page.getByRole('heading', { name: 'Events' })],
      [`/settings/webhooks/${crm.id}`, page.getByRole('tab', { name: 'Deliveries' })],
    ] as const;
    for (const [list, heading] of lists) {
      await goTo(page, list);
      await heading.first().waitFor();
      await field.fill('location=51877');
      await expect.poll(() => page.url(), eventually).toContain('51877');
      await row(`Event ${id}`).waitFor();
      await field.fill('location=1');
      await page.getByText('No results match these filters').waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.getByRole('button', { name: 'Clear filters' }).last().click();
      await page.getByRole('row').nth(1).waitFor();
    }
    expect(pageErrors).toEqual([]);
  });

  test('verifies a signature in the browser, explains the difference and does not send the key', async () => {
    const [id] = await emit('LOCATION_CREATED');
    const requests = () => receiver.requests.filter(({ path, event }) => path === '/crm' && event.id === id);
    await expect.poll(() => requests().length, eventually).toBe(1);
    const { body, headers } = requests()[0] as ReceivedRequest;
    await goTo(page, `/settings/webhooks/${crm.id}?tab=signature`);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData()}`));
    const check = async () => page.getByRole('button', { name: 'Verify', exact: true }).click();
    const bodyField = page.getByRole('textbox', { name: 'Request body' });
    await bodyField.fill(body);
    await page.getByLabel('Private key of your organisation').fill(scene.privateKey);
    await check();
    await page.getByText('The signature is valid').waitFor();

    await bodyField.fill(body.replace('"event":', '"event": '));
    await check();
    await page.getByText('Byte 9 differs').waitFor();
    await page.getByText('White space was added').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'signature');
    await bodyField.fill(body.replace('"location":51877', '"location":51878'));
    await check();
    await page.getByText(/Byte \d+ differs in event\.location: 0x38 “8” instead of 0x37 “7”/).waitFor();

    await page.getByText('Header signature').click();
    await bodyField.fill(body);
    await page.getByRole('textbox', { name: 'webhook-id' }).fill(String(headers['webhook-id']));
    await page.getByRole('textbox', { name: 'webhook-timestamp' }).fill(String(headers['webhook-timestamp']));
    await page.getByRole('textbox', { name: 'webhook-signature' }).fill(String(headers['webhook-signature']));
    await page.getByLabel('Webhook secret').fill(crm.secret);
    await check();
    await page.getByText('The header was created with this secret').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'signature-header');
    expect(sent.join('\n')).not.toContain(scene.privateKey);
    expect(sent.join('\n')).not.toContain(crm.secret);
    const stored = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    expect(stored).not.toContain(scene.privateKey);
    expect(pageErrors).toEqual([]);
  });

  test('filters 10,000 deliveries by URL and scrolls to the end with few rendered rows', async () => {
    await addDeliveries(scene.database, { partnerId: scene.partner.id, webhookId: crm.id, count: 10_001 });
    await addStatistics(scene.database, crm.id, { perHour: 400, failing: 0.004 });
    await goTo(page, `/settings/webhooks/${crm.id}`);
    await page.getByText(/10,00\d results/).waitFor();
    await page.getByRole('figure', { name: 'Attempts' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'webhook');
    const [newId] = await emit('LOCATION_CREATED');
    await row(`Event ${newId}`).waitFor();

    await page.getByRole('button', { name: 'Pause updates' }).click();
    await page.getByText('Updates are paused.').waitFor();
    const scrollToEnd = 'window.scrollTo(0, document.documentElement.scrollHeight)';
    const nextPages = /\/deliveries\?.*after=/;
    await page.route(nextPages, (route) => route.fulfill({ status: 404, json: { message: 'No next page' } }));
    const failed = page.getByRole('alert').filter({ hasText: 'No next page' });
    await expect.poll(() => page.evaluate(scrollToEnd).then(() => failed.count()), eventually).toBe(1);
    await page.unroute(nextPages);
    await failed.getByRole('button', { name: 'Try again' }).click();
    await failed.waitFor({ state: 'detached' });
    const rows = 'document.querySelectorAll("tbody tr").length';
    let maxRows = 0;
    await expect
      .poll(
        async () => {
          await page.evaluate(scrollToEnd);
          maxRows = Math.max(maxRows, await page.evaluate<number>(rows));
          return page.getByText('End of list').count();
        },
        { timeout: 90_000, interval: 50 },
      )
      .toBe(1);
    expect(maxRows).toBeLessThan(150);
    const oldest = 'select min(event_id) as first from attempts where webhook_id = $1';
    const [{ first }] = (await scene.database.pool.query(oldest, [crm.id])).rows;
    await page.getByRole('button', { name: new RegExp(`Event ${first}$`) }).waitFor();
    await page.evaluate('window.scrollTo(0, 0)');
    await page.getByRole('columnheader', { name: 'Recorded' }).getByRole('button').click();
    await expect.poll(() => page.getByRole('row').nth(1).textContent(), eventually).toContain(`Event ${first}`);

    await goTo(page, `/settings/webhooks/${crm.id}?eventId=${newId}&state=%5B%22DELIVERED%22%5D&statusCode=200`);
    await row(`Event ${newId}`).waitFor();
    await page.getByText('1 result').waitFor();
    await page.getByRole('searchbox', { name: 'Status code' }).fill('404');
    await page.getByText('No results match these filters').waitFor();
    expect(page.url()).toContain('statusCode=404');
    await page.getByRole('button', { name: 'Clear filters' }).last().click();
    await page.getByText(/10,00\d results/).waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('shows an unknown event as not found', async () => {
    await goTo(page, '/events/999999999');
    await page.getByText('Page not found').waitFor();
  });

  test('says that a search was cut off', async () => {
    const [id] = await emit('LOCATION_CREATED');
    await scene.database.pool.query(
      `insert into events (id, recorded_at, partner_id, type, body)
       select nextval('event_id'), now(), partner_id, type, body from events, generate_series(1, 20000) where id = $1`,
      [id],
    );
    await goTo(page, '/events');
    const field = page.getByRole('searchbox', { name: 'Field value' });
    await field.fill('location=1');
    await page.getByText('No results match these filters').waitFor();
    await page.getByText('Only the first 20,000 events in this order were searched.').waitFor();
    await field.fill('location=51877');
    await page
      .getByText('At least 20,000 results. Only the first 20,000 events in this order were searched.')
      .waitFor();
  });
});
