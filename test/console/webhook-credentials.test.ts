import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  accessibilityViolations,
  describeInBrowser,
  eventually,
  goTo,
  overlay,
  saveScreenshots,
} from '../support/browser.ts';
import { createCertificate } from '../support/certificates.ts';
import { ConsoleScene } from '../support/console.ts';
import { type Receiver, startReceiver } from '../support/delivery.ts';
import { tokenServer } from '../support/token-server.ts';

const path = '/api/sales-partners/webhooks';

describeInBrowser('credentials of a webhook', { timeout: 120_000 }, () => {
  let scene: ConsoleScene;
  let receiver: Receiver;
  let page: Page;
  let pageErrors: string[];

  beforeAll(async () => {
    receiver = await startReceiver();
    scene = await ConsoleScene.start();
    const admin = await scene.addUser({ role: 'ADMIN', name: 'Anna Berg', email: 'anna@harbour.example' });
    ({ page, pageErrors } = await scene.openAs(admin, '/settings/webhooks'));
  }, 120_000);
  afterAll(async () => {
    await scene?.close();
    await receiver?.close();
  });

  const addWebhooks = (pushUrl: string, more: object = {}, types = ['BUSINESS_CREATED']): Promise<{ id: number }[]> =>
    scene.call('POST', path, { types, pushUrl, ...more });
  const webhooksAt = async (pushUrl: string) =>
    (await scene.call('GET', `${path}/destinations`)).find((one: { pushUrl: string }) => one.pushUrl === pushUrl)
      ?.webhooks;
  async function edit(pushUrl: string): Promise<Locator> {
    await page.goto('/console/settings/webhooks');
    await page.getByRole('button', { name: `Actions for ${pushUrl}`, exact: true }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    return page.getByRole('dialog');
  }
  async function save(form: Locator): Promise<void> {
    await form.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => page.getByRole('dialog').count(), eventually).toBe(0);
  }

  test('sets an OAuth client, keeps its secret, and names the token server in a failed test', async () => {
    let isBroken = false;
    const tokens = await tokenServer((response, token) => {
      if (isBroken) response.writeHead(500);
      response.end(JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 40 }));
    });
    const pushUrl = receiver.url('/oauth');
    const [webhook] = await addWebhooks(pushUrl);
    const form = await edit(pushUrl);
    await form.getByRole('switch', { name: 'Access token (OAuth 2.0)' }).check();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Enter the URL of the token server.').waitFor();
    await form.getByText('Enter the client secret.').waitFor();
    await form.getByRole('textbox', { name: 'Token URL' }).fill('https://169.254.169.254/token');
    await form.getByRole('textbox', { name: 'Client ID' }).fill('waypost');
    const secret = form.getByLabel('Client secret');
    expect(await secret.getAttribute('type')).toBe('password');
    expect(await secret.getAttribute('spellcheck')).toBe('false');
    await secret.fill('first secret');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('is a cloud metadata address').waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'webhook-oauth');
    await form.getByRole('textbox', { name: 'Token URL' }).fill(tokens.url);
    await save(form);
    const client = { tokenUrl: tokens.url, clientId: 'waypost', authMethod: 'client_secret_basic' };
    expect(await webhooksAt(pushUrl)).toMatchObject([{ oauth: client }]);

    await edit(pushUrl);
    expect(await secret.inputValue()).toBe('');
    await form.getByRole('textbox', { name: 'Scope' }).fill('events');
    await form.getByRole('combobox', { name: 'Client authentication' }).click();
    await page.getByRole('option', { name: 'Form fields' }).click();
    await save(form);

    await goTo(page, `/settings/webhooks/${webhook?.id}?tab=details`);
    await page.getByText(`Of the client waypost at ${tokens.url}`).waitFor();
    await page.getByRole('button', { name: 'Send test' }).click();
    const trial = page.getByRole('dialog', { name: /^Test / });
    await trial.getByRole('button', { name: 'Send test' }).click();
    await trial.getByText('The receiver accepted the delivery').waitFor();
    await trial.getByText(/^Access token \d/).waitFor();
    expect(tokens.requests.at(-1)?.form).toMatchObject({ client_secret: 'first secret', scope: 'events' });
    expect(receiver.requests.at(-1)?.headers.authorization).toBe(`Bearer t${tokens.requests.length}`);
    isBroken = true;
    await scene.call('PATCH', `${path}/${webhook?.id}`, { oauth: { ...client, clientId: 'other' } });
    await trial.getByRole('button', { name: 'Send again' }).click();
    await trial.getByText('No access token', { exact: true }).waitFor();
    await trial.getByText(/token server .* responded with 500/).waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'webhook-token-failed');
    await trial.getByRole('button', { name: 'Close' }).last().click();

    await edit(pushUrl);
    await form.getByRole('switch', { name: 'Access token (OAuth 2.0)' }).uncheck();
    await save(form);
    expect((await webhooksAt(pushUrl))[0]).not.toHaveProperty('oauth');
    expect(pageErrors).toEqual([]);
  });

  test('asks for saved credentials again when the push URL moves to another server', async () => {
    const pushUrl = 'http://127.0.0.1:9/moving';
    const oauth = { tokenUrl: 'http://127.0.0.1:9/token', clientId: 'a', clientSecret: 'b' };
    await addWebhooks(pushUrl, { oauth, headers: { 'X-Key': 'k' } });
    const form = await edit(pushUrl);
    const moved = receiver.url('/moved');
    await form.getByRole('textbox', { name: 'Push URL' }).fill(moved);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Enter the client secret again').waitFor();
    await form.getByText('Enter the values of the saved headers again').waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await form.getByLabel('Client secret').fill('c');
    await form.getByRole('textbox', { name: 'Value of x-key' }).fill('l');
    await save(form);
    expect(await webhooksAt(moved)).toMatchObject([{ oauth: { clientId: 'a' }, headerNames: ['x-key'] }]);
    expect(pageErrors).toEqual([]);
  });

  test('sets a client certificate, warns before it expires, and removes it', async () => {
    const pushUrl = 'https://127.0.0.1:9/mutual';
    const [webhook] = await addWebhooks(pushUrl);
    const { cert, key } = await createCertificate({ name: 'shop', until: new Date(Date.now() + 20 * 86_400_000) });
    const form = await edit(pushUrl);
    await form.getByRole('switch', { name: 'Client certificate (mutual TLS)' }).check();
    await form.getByRole('textbox', { name: 'Certificate', exact: true }).fill(cert);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Enter the private key of the certificate.').waitFor();
    const privateKey = form.getByRole('textbox', { name: 'Private key' });
    expect(await privateKey.getAttribute('spellcheck')).toBe('false');
    await privateKey.fill((await createCertificate()).key);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('does not belong to the first certificate').waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'webhook-certificate');
    await privateKey.fill(key);
    await save(form);
    const [saved] = await webhooksAt(pushUrl);
    expect(saved).toMatchObject({ clientCertificate: { subject: 'CN=shop' } });

    await goTo(page, `/settings/webhooks/${webhook?.id}?tab=details`);
    await page.getByText('CN=shop, issued by CN=shop, valid until').waitFor();
    await page
      .getByText(`The client certificate expires on ${saved.clientCertificate.notAfter.slice(0, 10)}`)
      .waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'webhook-certificate-expires');
    await edit(pushUrl);
    await form.getByText('The saved certificate is used').waitFor();
    await form.getByRole('textbox', { name: 'Description' }).fill('Mutual');
    await save(form);
    expect(await webhooksAt(pushUrl)).toMatchObject([
      { description: 'Mutual', clientCertificate: { fingerprint: saved.clientCertificate.fingerprint } },
    ]);
    await edit(pushUrl);
    await form.getByRole('switch', { name: 'Client certificate (mutual TLS)' }).uncheck();
    await save(form);
    expect((await webhooksAt(pushUrl))[0]).not.toHaveProperty('clientCertificate');
    expect(pageErrors).toEqual([]);
  });

  test('keeps different OAuth clients of a destination unless one is set for all', async () => {
    const pushUrl = receiver.url('/mixed');
    const oauth = { tokenUrl: 'http://127.0.0.1:9/token', clientId: 'a', clientSecret: 'b' };
    const [first] = await addWebhooks(pushUrl, { oauth }, ['BUSINESS_CREATED', 'LOCATION_CREATED']);
    await scene.call('PATCH', `${path}/${first?.id}`, { oauth: null });
    const form = await edit(pushUrl);
    await form.getByRole('textbox', { name: 'Description' }).fill('Mixed');
    await save(form);
    const [one, two] = await webhooksAt(pushUrl);
    expect(one).not.toHaveProperty('oauth');
    expect(two).toMatchObject({ oauth: { clientId: 'a' }, description: 'Mixed' });
    await edit(pushUrl);
    await form.getByRole('combobox', { name: 'Access token (OAuth 2.0)' }).click();
    await page.getByRole('option', { name: 'Send no access token' }).click();
    await save(form);
    for (const webhook of await webhooksAt(pushUrl)) expect(webhook).not.toHaveProperty('oauth');
  });
});
