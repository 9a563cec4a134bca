import { expect, test } from 'vitest';
import {
  accessibilityViolations,
  describeInBrowser,
  eventually,
  goTo,
  overlay,
  saveScreenshots,
} from '../support/browser.ts';
import { openWebhooks } from '../support/webhook-console.ts';

describeInBrowser('settings of a destination', { timeout: 120_000 }, () => {
  const { current, addDestination, destination, openMenu, dialogsClosed } = openWebhooks();

  test('sets headers, rate, time limit and Ed25519, and keeps header values that are not entered again', async () => {
    const { page } = current();
    await addDestination('/gateway', ['BUSINESS_CREATED']);
    await page.goto('/console/settings/webhooks');
    const form = await openMenu('/gateway', 'Edit');
    await form.getByRole('button', { name: 'Add header' }).click();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Enter a name and a value for each new header.').waitFor();
    await form.getByRole('textbox', { name: 'Header name' }).fill('Host');
    await form.getByRole('textbox', { name: 'Value of Host' }).fill('other.example');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('The header Host is set by Waypost and cannot be changed.').waitFor();
    await form.getByRole('textbox', { name: 'Header name' }).fill('X-Api-Key');
    await form.getByRole('textbox', { name: 'Value of X-Api-Key' }).fill('first key');
    await form.getByRole('textbox', { name: 'Deliveries per second' }).fill('50');
    await form.getByRole('textbox', { name: 'Time limit in seconds' }).fill('20');
    await form.getByRole('switch', { name: 'Ed25519 signature' }).check();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'webhook-delivery-settings');
    await form.getByRole('button', { name: 'Save' }).click();
    await dialogsClosed();
    expect((await destination('/gateway'))?.webhooks).toMatchObject([
      { headerNames: ['x-api-key'], maxPerSecond: 50, timeoutSeconds: 20, publicKeysPath: expect.any(String) },
    ]);

    const again = await openMenu('/gateway', 'Edit');
    await again.getByPlaceholder('Saved, not shown').waitFor();
    await again.getByRole('button', { name: 'Add header' }).click();
    await again.getByRole('textbox', { name: 'Header name' }).nth(1).fill('X-Team');
    await again.getByRole('textbox', { name: 'Value of X-Team' }).fill('blue');
    await again.getByRole('textbox', { name: 'Deliveries per second' }).fill('');
    await again.getByRole('button', { name: 'Save' }).click();
    await dialogsClosed();
    const [webhook] = (await destination('/gateway'))?.webhooks ?? [];
    expect(webhook).toMatchObject({ headerNames: ['x-api-key', 'x-team'] });
    expect(webhook).not.toHaveProperty('maxPerSecond');

    await goTo(page, `/settings/webhooks/${webhook?.id}?tab=details`);
    await page.getByText('x-api-key, x-team').waitFor();
    await page.getByText('20 s', { exact: true }).waitFor();
    const keys = page.getByRole('link', { name: /webhook-keys/ });
    expect(await keys.getAttribute('href')).toBe(`/.well-known/webhook-keys/${webhook?.id}`);
    await saveScreenshots(page, 'webhook-details');
    await goTo(page, '/settings/webhooks');
  });

  test('makes a destination ordered, and names the event that a delivery waits for', async () => {
    const { scene, receiver, page } = current();
    const [webhook] = await addDestination('/ordered', ['LOCATION_CREATED']);
    await page.goto('/console/settings/webhooks');
    const form = await openMenu('/ordered', 'Edit');
    const ordered = form.getByRole('switch', { name: 'Ordered' });
    await form.getByText(/a failing event holds back the later ones/).waitFor();
    await ordered.focus();
    await page.keyboard.press('Space');
    expect(await ordered.isChecked()).toBe(true);
    await form.getByRole('button', { name: 'Save' }).click();
    await dialogsClosed();
    expect((await destination('/ordered'))?.webhooks).toMatchObject([{ ordered: true }]);

    receiver.respond = () => 503;
    const { eventIds } = await scene.call('POST', '/api/event-types/LOCATION_CREATED/emit', { count: 2 });
    await expect.poll(() => receiver.ids('/ordered'), eventually).toEqual([eventIds[0]]);
    await goTo(page, `/settings/webhooks/${webhook?.id}`);
    await page.getByText(`Waiting for event ${eventIds[0]}`).first().waitFor();
    await goTo(page, `/settings/webhooks/${webhook?.id}?delivery=${eventIds[1]}-${webhook?.id}`);
    const drawer = page.getByRole('dialog', { name: `Delivery of event ${eventIds[1]}` });
    await drawer.getByText(`Waiting for event ${eventIds[0]}`).waitFor();
    expect(await drawer.getByRole('button', { name: 'Retry now' }).count()).toBe(0);
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'webhook-ordered-delivery');
    await drawer.getByRole('link', { name: `Open event ${eventIds[0]}` }).click();
    await page
      .getByRole('heading', { name: /Location created/ })
      .first()
      .waitFor();

    receiver.respond = () => 200;
    await goTo(page, `/settings/webhooks/${webhook?.id}?delivery=${eventIds[0]}-${webhook?.id}`);
    const failing = page.getByRole('dialog', { name: `Delivery of event ${eventIds[0]}` });
    await failing.getByRole('button', { name: 'Discard' }).click();
    const question = page.getByRole('dialog', { name: `Discard the delivery of event ${eventIds[0]}?` });
    await question.waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'delivery-discard');
    await question.getByRole('button', { name: 'Discard delivery' }).click();
    await failing.getByText('Discarded after 1 attempt.').waitFor();
    await expect.poll(() => receiver.ids('/ordered'), eventually).toEqual(eventIds);
    await goTo(page, '/settings/webhooks');
  });

  test('checks a filter before saving, and explains an event that it excluded', async () => {
    const { scene, page, pageErrors } = current();
    const [update] = await addDestination('/filtered', ['LISTING_UPDATE']);
    const label = await scene.call('POST', '/api/labels', { name: 'Airport' });
    // The example of the type has the result UNDEFINED.
    const emit = async (fields: object): Promise<number> =>
      (await scene.call('POST', '/api/event-types/LISTING_UPDATE/emit', { fields })).eventIds[0];
    await emit({ updateResult: 'FAILURE' });
    await page.goto('/console/settings/webhooks');
    const form = await openMenu('/filtered', 'Edit');
    const chooseField = async (condition: number, name: string) => {
      await form.getByRole('combobox', { name: `Field of condition ${condition}` }).fill(name);
      await page.getByRole('option', { name, exact: true }).click();
    };
    await form.getByRole('button', { name: 'Edit as JSON' }).click();
    const filter = form.getByRole('textbox', { name: 'Filter' });
    await filter.fill('{"field": "updateResult"');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Enter a JSON object, or leave the field empty.').waitFor();
    await filter.fill('{"field": "updateresult", "in": ["FAILURE"]}');
    await form.getByText('filter.field must be a field of LISTING_UPDATE').waitFor();
    expect(await filter.getAttribute('aria-invalid')).toBe('true');
    await filter.fill('{"any": [{"all": [{"field": "comment", "exists": true}]}]}');
    await form.getByText('only JSON can show').waitFor();
    expect(await form.getByRole('button', { name: 'Edit as conditions' }).isDisabled()).toBe(true);
    await filter.fill('{"field": "labels", "in": [999999]}');
    await form.getByRole('button', { name: 'Edit as conditions' }).click();
    await form.getByText('#999999 (unknown label)').waitFor();
    await form.getByRole('button', { name: 'Edit as JSON' }).click();
    await filter.fill('');
    await form.getByRole('button', { name: 'Edit as conditions' }).click();

    await form.getByRole('button', { name: 'Add condition' }).click();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Choose a field and a value for each condition').waitFor();
    await chooseField(1, 'updateResult');
    await form.getByRole('combobox', { name: 'Value of condition 1' }).click();
    await page.getByRole('option', { name: 'FAILURE' }).click();
    await page.getByRole('option', { name: 'SUCCESS' }).click();
    await page.keyboard.press('Escape');
    await form.getByText('Only events where updateResult is FAILURE or SUCCESS.').waitFor();
    await form.getByRole('button', { name: 'Add condition' }).click();
    await chooseField(2, 'labels');
    await form.getByRole('combobox', { name: 'Value of condition 2' }).fill('airp');
    await page.getByRole('option', { name: 'Airport' }).click();
    await form.getByText(`(updateResult is FAILURE or SUCCESS) and labels is ${label.id}.`).waitFor();
    await form.getByRole('button', { name: 'Add condition' }).click();
    await chooseField(3, 'location');
    await form.getByRole('combobox', { name: 'Comparison of condition 3' }).click();
    await page.getByRole('option', { name: 'is greater than' }).click();
    await form.getByRole('textbox', { name: 'Value of condition 3' }).fill('7');
    await form.getByRole('combobox', { name: 'Combination of the conditions' }).click();
    await page.getByRole('option', { name: 'At least one condition must match' }).click();
    await form.getByText(`or labels is ${label.id} or location is greater than 7.`).waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'webhook-filter-conditions');
    await form.getByRole('button', { name: 'Remove condition 3' }).click();
    await form.getByRole('button', { name: 'Remove condition 2' }).click();
    await form.getByText('Only events where updateResult is FAILURE or SUCCESS.').waitFor();
    await form.getByText(/\d of the last \d events match/).waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'webhook-filter');
    await form.getByRole('button', { name: 'Save' }).click();
    await dialogsClosed();

    await goTo(page, `/settings/webhooks/${update?.id}?tab=details`);
    await page.getByText('updateResult is FAILURE or SUCCESS').waitFor();
    const excluded = await emit({});
    await goTo(page, `/events/${excluded}`);
    await page.getByText('The event did not match the filter of the webhook: updateResult is FAILURE').waitFor();
    await saveScreenshots(page, 'event-filtered');
    expect(pageErrors).toEqual([]);
  });
});
