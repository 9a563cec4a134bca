import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, keepPictures, seriousBarriers } from '../support/browser.ts';
import { ConsoleScene, type Person } from '../support/console.ts';

const eventually = { timeout: 30_000 };

describeInBrowser('the dashboard', { timeout: 120_000 }, () => {
  let scene: ConsoleScene;
  let admin: Person;

  beforeAll(async () => {
    scene = await ConsoleScene.start({ WAYPOST_SANDBOX: 'on', WAYPOST_SANDBOX_LIFE: 'off' });
    admin = await scene.addPerson({ role: 'ADMIN', name: 'Anna Berg' });
    await scene.makeDemoData(6);
  }, 180_000);
  afterAll(() => scene?.close());

  const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const figure = (page: Page, part: string, name: string) =>
    section(page, part).getByRole('group', { name, exact: true }).locator('p').nth(1);
  const whole = new Intl.NumberFormat('en');

  test('shows the figures of the API, also those of the chosen businesses and days', async () => {
    const { page, complaints } = await scene.openAs(admin, '/dashboard?days=90');
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    const asked = `startDate=${day(90)}&endDate=${day(1)}`;
    const feedback = await scene.call('GET', `/api/dashboard/customer-feedback?${asked}`);
    expect(feedback.ratingCount).toBeGreaterThan(0);
    const shown = (part: string, name: string) => expect.poll(() => figure(page, part, name).textContent(), eventually);
    await shown('At a glance', 'Ratings').toBe(whole.format(feedback.ratingCount));
    await shown('At a glance', 'Interactions').toBe(whole.format(feedback.interactionCount));
    await shown('At a glance', 'Average rating').toBe(String(Math.round(feedback.averageRating * 100) / 100));
    // What directories tell goes on arriving: the rest is held against what the page itself was answered.
    // biome-ignore lint/suspicious/noExplicitAny: answers have every shape
    const answers = new Map<string, any>();
    page.on('response', async (answer) => {
      const [, path] = answer.url().split('/api/dashboard/');
      if (path) answers.set(path, (await answer.json().catch(() => ({}))).response);
    });
    await page.reload();
    const answered = async (path: string) => {
      await expect.poll(() => answers.get(path), eventually).toBeDefined();
      return answers.get(path);
    };
    const response = await answered(`review-response-time?${asked}`);
    await shown('Response time', 'Answered').toBe(whole.format(response.respondedCount));
    const health = await answered('listing-health');
    await shown('Listing health', 'Show what you entered').toBe(whole.format(health.countListingsInSync));

    // The chart of interactions as a table: the same, period by period.
    const { interactionCountByPeriod } = await answered(`customer-feedback-by-period?${asked}&group=WEEK`);
    const chart = section(page, 'Customer feedback');
    await chart.getByRole('button', { name: 'Interactions: Show as a table' }).click();
    const cells = chart.getByRole('table', { name: 'Interactions' }).locator('tbody tr td:nth-child(2)');
    expect(await cells.allTextContents()).toEqual(
      interactionCountByPeriod.map(({ count }: { count: number }) => whole.format(count)),
    );

    const insights = await answered(`insights-data?type=GOOGLE&group=WEEK&${asked}`);
    const [metric] = insights.metrics;
    const total = metric.data.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
    await expect
      .poll(
        () => section(page, 'Insights').getByRole('table', { name: 'Total' }).locator('tbody td').first().textContent(),
        eventually,
      )
      .toBe(whole.format(total));
    const searches = await answered(`search-keywords?${asked}&max=10`);
    const [first] = searches.keywords;
    if (first) await section(page, 'Search keywords').getByText(first.keyword, { exact: true }).waitFor();
    await section(page, 'Visibility index').getByText('By directory').waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'dashboard');

    const { businesses } = await scene.call('GET', '/api/businesses?max=1');
    await page.getByLabel('Businesses').first().click();
    await page.getByRole('option', { name: businesses[0].name }).click();
    await expect.poll(() => page.url(), eventually).toContain(`${businesses[0].id}`);
    const some = await scene.call('GET', `/api/dashboard/customer-feedback?${asked}&businessIds=${businesses[0].id}`);
    await shown('At a glance', 'Ratings').toBe(whole.format(some.ratingCount));
    await page.reload();
    await shown('At a glance', 'Ratings').toBe(whole.format(some.ratingCount));
    await page.goto('/console/dashboard?text=nowhere-at-all');
    await page.getByText('No locations match these filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).last().click();
    await section(page, 'At a glance').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a report and an Excel file are made, downloaded and deleted', async () => {
    const { page, complaints } = await scene.openAs(admin, '/dashboard');
    await page.getByRole('button', { name: 'Export' }).click();
    const drawer = page.getByRole('dialog', { name: 'Exports' });
    await drawer.getByText('No exports yet').waitFor();
    await drawer.getByLabel('Name').fill('Board meeting');
    await page.keyboard.press('Enter');
    const report = drawer.getByRole('group', { name: 'Board meeting' });
    const link = report.getByRole('link', { name: 'Download Board meeting' });
    await link.waitFor({ timeout: 60_000 });
    expect(await fileOf(page, () => link.click())).toMatchObject({ name: 'Board meeting.pdf', start: '%PDF' });
    expect(await report.getByText('Expires').count()).toBe(1);
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'dashboard-exports');

    await drawer.getByLabel('What').first().click();
    await page.getByRole('option', { name: 'Insights by location as Excel' }).click();
    await drawer.getByLabel('Name').fill('Insights');
    await drawer.getByRole('button', { name: 'Start export' }).click();
    const sheet = drawer.getByRole('link', { name: 'Download Insights' });
    await sheet.waitFor({ timeout: 60_000 });
    expect(await fileOf(page, () => sheet.click())).toMatchObject({ name: 'Insights.xlsx', start: 'PK\u0003\u0004' });

    await drawer.getByRole('button', { name: 'Delete Insights' }).click();
    await page.getByRole('dialog', { name: 'Delete Insights?' }).getByRole('button', { name: 'Delete' }).click();
    await drawer.getByText('No exports yet').waitFor();
    expect((await scene.call('GET', '/api/dashboard/excel-exports')).count).toBe(0);
    expect(complaints).toEqual([]);
  });

  async function fileOf(page: Page, click: () => Promise<void>) {
    const [download] = await Promise.all([page.waitForEvent('download'), click()]);
    const bytes = await readFile(await download.path());
    return { name: download.suggestedFilename(), start: bytes.subarray(0, 4).toString('latin1') };
  }

  test('whoever may not see figures gets no dashboard', async () => {
    const reader = await scene.addPerson({ role: 'ACCOUNT_MANAGER', features: ['ASSET_READ'] });
    const { page } = await scene.openAs(reader, '/dashboard');
    await page.getByRole('heading', { name: 'You do not have access to this' }).waitFor();
    expect(await page.getByRole('link', { name: 'Dashboard' }).count()).toBe(0);
  });
});
