import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { accessibilityViolations, eventually, goTo, saveScreenshots, type Tab, tabTo } from '../../support/browser.ts';
import type { ConsoleFixture } from './fixture.ts';

export function dashboardTests(fixture: ConsoleFixture): void {
  let tab: Tab;
  let page: Page;
  let business: { id: number; name: string };
  // Data keeps arriving, so compare the page with the responses that it received.
  // biome-ignore lint/suspicious/noExplicitAny: responses have any shape
  const responses = new Map<string, any>();

  beforeAll(async () => {
    const { scene, admin } = fixture();
    const words = () => scene.call('GET', `/api/dashboard/customer-feedback-keywords?${query}`);
    await vi.waitFor(async () => expect((await words()).keywords.length).toBeGreaterThan(1), eventually);
    [business] = (await scene.call('GET', '/api/businesses?max=1')).businesses;
    tab = await scene.openAs(admin, `/dashboard?days=90&business=[${business.id}]`, {}, (opened) =>
      opened.on('response', async (response) => {
        const [, path] = response.url().split('/api/dashboard/');
        if (path) responses.set(path, (await response.json().catch(() => ({}))).response);
      }),
    );
    page = tab.page;
  }, 60_000);

  const section = (name: string) => page.getByRole('region', { name, exact: true });
  const shown = (part: string, name: string) => {
    const figure = section(part).getByRole('group', { name, exact: true }).locator('p').nth(1);
    return expect.poll(() => figure.textContent(), eventually);
  };
  const received = async (path: string) => {
    await expect.poll(() => responses.get(path), eventually).toBeDefined();
    return responses.get(path);
  };
  const whole = new Intl.NumberFormat('en');
  const oneDecimal = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const sundayAfter = (monday: string) => new Date(Date.parse(monday) + 6 * 86_400_000).toISOString().slice(0, 10);
  const query = `startDate=${day(90)}&endDate=${day(1)}`;

  test('shows the figures for the filters in the URL, and for all locations without filters', async () => {
    const { scene } = fixture();
    const businessFeedback = await scene.call(
      'GET',
      `/api/dashboard/customer-feedback?${query}&businessIds=${business.id}`,
    );
    await shown('Overview', 'Ratings').toBe(whole.format(businessFeedback.ratingCount));
    await page.getByRole('button', { name: 'Clear filters' }).click();
    const feedback = await received(`customer-feedback?${query}`);
    expect(feedback.ratingCount).toBeGreaterThan(businessFeedback.ratingCount);
    await shown('Overview', 'Ratings').toBe(whole.format(feedback.ratingCount));
    await shown('Overview', 'Interactions').toBe(whole.format(feedback.interactionCount));
    await shown('Overview', 'Average rating').toBe(String(Math.round(feedback.averageRating * 100) / 100));
    const response = await received(`review-response-time?${query}`);
    await shown('Response time', 'With a reply').toBe(whole.format(response.respondedCount));
    // Share of reviews, without photos and check-ins.
    await shown('Overview', 'Response rate').toBe(`${oneDecimal.format(response.responseRate)}%`);
    expect(response.responseRate).toBeCloseTo(
      (100 * response.respondedCount) / (response.respondedCount + response.unrespondedCount),
      1,
    );
    const health = await received('listing-health');
    await shown('Listing health', 'In sync').toBe(whole.format(health.countListingsInSync));

    // Directories report late: compares the available days with as many days of the previous period.
    const { byDirectory } = await received(`data-availability?${query}`);
    const until = byDirectory.find((one: { directoryType: string }) => one.directoryType === 'GOOGLE').countedUntil;
    expect(until < day(1)).toBe(true);
    const totalOf = async (first: string, last: string) => {
      const insights = await received(`insights-data?type=GOOGLE&group=WEEK&startDate=${first}&endDate=${last}`);
      return insights.metrics[0].data.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
    };
    const total = await totalOf(day(90), until);
    const totalBefore = await totalOf(
      day(180),
      new Date(Date.parse(until) - 90 * 86_400_000).toISOString().slice(0, 10),
    );
    expect(totalBefore).toBeGreaterThan(0);
    const totals = section('Insights')
      .getByRole('table', { name: 'Totals by metric' })
      .locator('tbody tr')
      .first()
      .locator('td');
    await expect
      .poll(async () => (await totals.allTextContents()).slice(0, 2), eventually)
      .toEqual([whole.format(total), whole.format(totalBefore)]);
    await section('Insights').getByText(', compared with').waitFor();
    // Incomplete weeks are in the table only: a line would show a drop.
    const { metrics } = await received(`insights-data?type=GOOGLE&group=WEEK&startDate=${day(90)}&endDate=${until}`);
    const periods: string[] = metrics[0].data.map(({ period }: { period: string }) => period);
    const wholeWeeks = periods.filter((monday) => monday >= day(90) && sundayAfter(monday) <= until);
    expect(wholeWeeks.length).toBeLessThan(periods.length);
    const dots = section('Insights').locator('.recharts-line-dots').first().locator('.recharts-line-dot');
    await expect.poll(() => dots.count(), eventually).toBe(wholeWeeks.length);
    await section('Visibility index').getByText('By directory').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'dashboard');

    // The interactions chart as a table.
    const { interactionCountByPeriod } = await received(`customer-feedback/by-period?${query}&group=WEEK`);
    const chart = section('Customer feedback');
    await chart.getByRole('button', { name: 'Interactions: Show as table' }).click();
    const cells = chart.getByRole('table', { name: 'Interactions' }).locator('tbody tr td:nth-child(2)');
    expect(await cells.allTextContents()).toEqual(
      interactionCountByPeriod.map(({ count }: { count: number }) => whole.format(count)),
    );
  });

  test('ignores unknown periods and metrics of other directories in the URL, and shows errors of comparisons', async () => {
    const fails = ({ pathname, searchParams }: URL) =>
      searchParams.get('startDate') === day(60) || /\/(suppressed-duplicates|review-response-time)$/.test(pathname);
    await page.route(fails, (route) => route.fulfill({ status: 400, json: { message: 'Not available.' } }));
    // Two businesses, for which nothing is cached.
    const { businesses } = await fixture().scene.call('GET', '/api/businesses?max=2');
    const ids: number[] = businesses.map(({ id }: { id: number }) => id);
    await goTo(page, `/dashboard?days=45&business=[${ids}]&metric=["PLACE_CARD_VIEWS"]`);
    const scope = ids.map((id) => `businessIds=${id}`).join('&');
    await received(`customer-feedback?${scope}&startDate=${day(30)}&endDate=${day(1)}`);
    expect(await page.getByRole('combobox', { name: 'Period' }).inputValue()).toBe('Last 30 days');
    await section('Insights').getByRole('table', { name: 'Totals by metric' }).waitFor();
    for (const name of ['Overview', 'Customer feedback', 'Insights', 'Listing health'])
      await section(name).getByRole('alert').getByText('Not available.').waitFor();
    await page.unroute(fails);
    for (const name of ['Overview', 'Customer feedback', 'Insights', 'Listing health']) {
      const retry = section(name).getByRole('alert').getByRole('button');
      if ((await retry.count()) > 0) await retry.click();
      await expect.poll(() => section(name).getByRole('alert').getByText('Not available.').count(), eventually).toBe(0);
    }
    // The keyboard opens the tooltip with the previous value.
    await section('Overview').getByRole('group', { name: 'Ratings', exact: true }).locator('[tabindex="0"]').focus();
    for (const key of ['Tab', 'Shift+Tab']) await page.keyboard.press(key);
    await page.getByRole('tooltip').getByText('previous period: ').first().waitFor();
    expect(await page.locator('[role="note"][aria-describedby]').count()).toBe(0);
    expect(await page.locator('td [tabindex="0"]').count()).toBe(0);
    const percentages = await page
      .getByRole('progressbar')
      .evaluateAll((bars) => bars.map((bar) => bar.getAttribute('aria-valuetext')));
    expect(percentages.filter((text) => !/^\d+(\.\d)?%$/.test(text ?? ''))).toEqual([]);
  });

  test('requests metrics of the URL when those of the directory are known', async () => {
    const { scene, admin } = fixture();
    const requested: string[] = [];
    const available = Promise.withResolvers<void>();
    const cold = await scene.openAs(admin, '/dashboard?metric=["PLACE_CARD_VIEWS"]', {}, (opened) => {
      opened.on('request', (request) => request.url().includes('/insights-data') && requested.push(request.url()));
      opened.on('response', (response) => response.url().includes('/data-availability') && available.resolve());
      opened.route(/\/api\/directories$/, async (route) => {
        await available.promise;
        await opened.getByRole('combobox', { name: 'Directory' }).waitFor();
        await route.continue();
      });
    });
    await cold.page.getByRole('table', { name: 'Totals by metric' }).waitFor();
    expect(requested.filter((url) => url.includes('PLACE_CARD_VIEWS'))).toEqual([]);
    await cold.context.close();
  });

  test('keeps a custom range while its dates are edited', async () => {
    const choose = async (name: string) => {
      await page.getByRole('combobox', { name: 'Period' }).click();
      await page.getByRole('option', { name }).click();
    };
    await choose('Custom range');
    const from = page.getByLabel('From', { exact: true });
    const to = page.getByLabel('To', { exact: true });
    for (const field of [from, to]) {
      await field.press('Backspace');
      expect(await field.inputValue()).toBe('');
    }
    expect(await from.getAttribute('max')).toBe('9999-12-31');
    await from.fill(day(20));
    await expect.poll(() => page.url(), eventually).toContain(`start=${day(20)}`);
    expect(page.url()).toContain(`end=${day(1)}`);
    expect(await to.inputValue()).toBe(day(1));
    await goTo(page, '/dashboard?days=90');
    await expect.poll(() => from.count(), eventually).toBe(0);
  });

  test('sorts review keywords and search terms', async () => {
    const column = (part: string, number: number) =>
      section(part).locator(`tbody td:nth-child(${number})`).allTextContents();
    const sortBy = (part: string, title: string) =>
      section(part).getByRole('columnheader', { name: title }).getByRole('button').click();
    const { keywords } = await received(`search-keywords?${query}&max=10`);
    const words = keywords.map(({ keyword }: { keyword: string }) => keyword);
    expect(await column('Search keywords', 1)).toEqual(words);
    await sortBy('Search keywords', 'Search term');
    await expect
      .poll(() => column('Search keywords', 1), eventually)
      .toEqual(words.toSorted((a: string, b: string) => a.localeCompare(b, undefined, { numeric: true })));
    await sortBy('Review keywords', 'Rating');
    const ratings = async () => (await column('Review keywords', 4)).map(Number);
    await expect.poll(async () => isAscending(await ratings()), eventually).toBe(true);
    await sortBy('Review keywords', 'Rating');
    await expect.poll(async () => isAscending((await ratings()).toReversed()), eventually).toBe(true);
  });

  test('exports a report by keyboard, and exports and deletes an Excel file', async () => {
    const { scene } = fixture();
    await page.getByRole('button', { name: 'Export' }).press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Exports' });
    await drawer.getByText('No exports yet').waitFor();
    await tabTo(page, drawer.getByLabel('Name'));
    await page.keyboard.type('Board meeting');
    await page.keyboard.press('Enter');
    const link = drawer.getByRole('link', { name: 'Download Board meeting' });
    await link.waitFor({ timeout: 60_000 });
    await tabTo(page, link);
    const file = await downloadedFile(() => page.keyboard.press('Enter'));
    expect(file).toMatchObject({ name: 'Board meeting.pdf', start: '%PDF' });
    expect(await drawer.getByRole('group', { name: 'Board meeting' }).getByText('Expires').count()).toBe(1);
    expect(await accessibilityViolations(page, '[role=dialog]')).toEqual([]);
    await saveScreenshots(page, 'dashboard-exports');

    await drawer.getByLabel('Type').first().click();
    expect(await page.getByRole('option').allTextContents()).toEqual([
      'Report (PDF)',
      'Dashboard (Excel)',
      'Insights by location (Excel)',
    ]);
    await page.getByRole('option', { name: 'Insights by location (Excel)' }).click();
    await drawer.getByLabel('Name').fill('Insights');
    await drawer.getByRole('button', { name: 'Start export' }).click();
    const sheet = drawer.getByRole('link', { name: 'Download Insights' });
    await sheet.waitFor({ timeout: 60_000 });
    expect(await downloadedFile(() => sheet.click())).toMatchObject({ name: 'Insights.xlsx', start: 'PK\u0003\u0004' });
    await drawer.getByRole('button', { name: 'Delete Insights' }).click();
    const confirmation = page.getByRole('dialog', { name: 'Delete Insights?' });
    await confirmation.waitFor();
    expect(await accessibilityViolations(page, '[role=dialog]')).toEqual([]);
    await saveScreenshots(page, 'dashboard-delete');
    await confirmation.getByRole('button', { name: 'Delete' }).click();
    await drawer.getByText('No exports yet').waitFor();
    expect((await scene.call('GET', '/api/dashboard/excel-exports')).count).toBe(0);
    await page.keyboard.press('Escape');
  });

  test('shows an empty state without matches and clears the filters', async () => {
    await page.getByLabel('Search name or address').fill('nowhere-at-all');
    await page.getByText('No locations match these filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).last().click();
    await section('Overview').waitFor();
    expect(tab.pageErrors).toEqual([]);
    await tab.context.close();
  });

  async function downloadedFile(act: () => Promise<void>) {
    const [download] = await Promise.all([page.waitForEvent('download'), act()]);
    const bytes = await readFile(await download.path());
    return { name: download.suggestedFilename(), start: bytes.subarray(0, 4).toString('latin1') };
  }
}

const isAscending = (numbers: number[]) =>
  numbers.length > 1 && numbers.every((number, index) => index === 0 || number >= (numbers[index - 1] ?? 0));
