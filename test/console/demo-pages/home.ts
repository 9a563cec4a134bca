import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { accessibilityViolations, eventually, goTo, saveScreenshots, type Tab } from '../../support/browser.ts';
import type { ConsoleFixture } from './fixture.ts';

export function homeTests(fixture: ConsoleFixture): void {
  let tab: Tab;
  let page: Page;

  beforeAll(async () => {
    const { scene, admin } = fixture();
    tab = await scene.openAs(admin, '/');
    page = tab.page;
  }, 60_000);

  const section = (name: string) => page.getByRole('region', { name, exact: true });
  const entry = (title: string) => section('Tasks').getByRole('listitem').filter({ hasText: title });

  test('shows the metrics, the score and its parts from the API', async () => {
    const { scene } = fixture();
    await page.getByRole('heading', { level: 1, name: 'Hello, Anna' }).waitFor();
    const { metrics } = await scene.call('GET', '/api/home/key-metrics');
    for (const { title } of metrics) await page.getByRole('group', { name: title, exact: true }).waitFor();
    // Directories report data with a delay.
    await page.getByRole('group', { name: 'Views', exact: true }).getByText('Data until').waitFor();
    await section('Location score').getByText('of 100').first().waitFor();
    await section('Suggestions').getByRole('listitem').first().waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'home');
    // Jobs may still be running: reload and compare with the API again.
    let isFirst = true;
    await expect
      .poll(async () => {
        if (!isFirst) await page.reload();
        isFirst = false;
        return missingFigures();
      }, eventually)
      .toEqual([]);
    const { locations } = await scene.call('GET', '/api/home/locations/ranks?order=WORST_FIRST&size=1');
    await page.getByLabel('Order').first().click();
    await page.getByRole('option', { name: 'Worst first' }).click();
    await expect.poll(() => page.url(), eventually).toContain('order=WORST_FIRST');
    await expect
      .poll(() => section('Ranking').getByRole('row').nth(1).textContent(), eventually)
      .toContain(locations[0].name);
  });

  /** Score figures of the API that the page does not show. */
  async function missingFigures(): Promise<string[]> {
    const { scene } = fixture();
    const score = section('Location score');
    await score.getByText('of 100').first().waitFor();
    const { averageScore } = await scene.call('GET', '/api/home/locations/score?size=1');
    const { parts } = await scene.call('GET', '/api/home/score-parts');
    const shown = (await score.textContent()) ?? '';
    const figures = parts.map(
      ({ points, maxPoints }: Record<string, number>) => `${points?.toFixed(1)} of ${maxPoints}`,
    );
    return [String(Math.round(averageScore)), ...figures].filter((figure) => !shown.includes(figure));
  }

  test('opens exactly the locations that a task or suggestion counts', async () => {
    const { scene } = fixture();
    const { tasks } = await scene.call('GET', '/api/home/tasks');
    const { suggestions } = await scene.call('GET', '/api/home/suggestions');
    expect(tasks.length).toBeGreaterThan(2);
    for (const [kind, part, entries] of [
      ['tasks', 'Tasks', tasks],
      ['suggestions', 'Suggestions', suggestions],
    ] as const) {
      for (const { type, title, locationsCount } of entries) {
        const { locationIds } = await scene.call('GET', `/api/home/${kind}/locations?type=${type}&size=1000`);
        expect(locationIds).toHaveLength(locationsCount);
        await goTo(page, '/');
        const found = section(part).getByRole('listitem').filter({ hasText: title });
        await found
          .getByRole('button', { name: `: ${title}` })
          .first()
          .click();
        await expect.poll(() => new URL(page.url()).searchParams.get('location'), eventually).not.toBeNull();
        expect(JSON.parse(new URL(page.url()).searchParams.get('location') ?? '')).toEqual(locationIds);
        if (type === 'LISTING_FIELDS_MISSING') expect(page.url()).toContain('/locations?');
        if (page.url().includes('/locations?')) await page.getByText(`${locationsCount} result`).first().waitFor();
      }
    }
    await goTo(page, '/');
  });

  test('hides a dismissed task until its date, and restores it on undo', async () => {
    const { scene } = fixture();
    const { tasks } = await scene.call('GET', '/api/home/tasks');
    const [{ title, locationsCount }] = tasks;
    const dismiss = entry(title).getByRole('button', { name: `Dismiss: ${title}` });
    await entry(title)
      .getByRole('button', { name: `${title}: show` })
      .click();
    const locationsDialog = page.getByRole('dialog', { name: `${title}: locations` });
    await locationsDialog.getByText(`${locationsCount} result`).waitFor();
    expect(await accessibilityViolations(page, '[role=dialog]')).toEqual([]);
    await saveScreenshots(page, 'home-places');
    await page.keyboard.press('Escape');

    // By keyboard: the menu, its last item, the suggested date.
    await dismiss.press('Enter');
    const lastEntry = page.getByRole('menuitem', { name: 'Until a date…' });
    await lastEntry.waitFor();
    expect(await accessibilityViolations(page, '[role=menu]')).toEqual([]);
    await lastEntry.press('Enter');
    const confirmation = page.getByRole('dialog', { name: 'Dismiss until' });
    await confirmation.getByLabel('Show again on').fill('2020-01-01');
    await page.keyboard.press('Enter');
    await confirmation.getByText('Choose a date after today.').waitFor();
    expect(await accessibilityViolations(page, '[role=dialog]')).toEqual([]);
    await saveScreenshots(page, 'home-until');
    const nextMonth = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
    await confirmation.getByLabel('Show again on').fill(nextMonth);
    await page.keyboard.press('Enter');
    await page
      .getByRole('status')
      .filter({ hasText: `“${title}” was dismissed until` })
      .waitFor();
    await section('Tasks').getByRole('button', { name: '1 dismissed' }).waitFor();
    const tasksOfUser = await page.evaluate<{ dismissedUntil?: string }[]>(
      "fetch('/api/home/tasks?includeDismissed=true').then((response) => response.json()).then(({ response }) => response.tasks)",
    );
    expect(tasksOfUser.filter(({ dismissedUntil }) => dismissedUntil === nextMonth)).toHaveLength(1);

    await page.getByRole('button', { name: 'Undo' }).click();
    await dismiss.waitFor();
    expect(await section('Tasks').getByRole('button', { name: '1 dismissed' }).count()).toBe(0);

    await dismiss.click();
    await page.getByRole('menuitem', { name: 'For a week' }).click();
    await section('Tasks').getByRole('button', { name: '1 dismissed' }).click();
    await page.getByRole('button', { name: `Show again: ${title}` }).click();
    await dismiss.waitFor();
  });

  test('saves the metrics of each user', async () => {
    const { scene } = fixture();
    await page.getByRole('button', { name: 'Customise metrics' }).click();
    const { available, metrics } = await scene.call('GET', '/api/home/key-metrics/configuration');
    const titleOf = (name: string) => available.find((one: { name: string }) => one.name === name).title;
    const added = available.find(({ name }: { name: string }) => !metrics.includes(name));
    const dialog = page.getByRole('dialog', { name: 'Customise key metrics' });
    await dialog.getByRole('button', { name: `Remove ${titleOf(metrics[0])}` }).click();
    // The button is removed; the focus stays in the dialog.
    const hasFocus = "document.querySelector('[role=dialog]').contains(document.activeElement)";
    await expect.poll(() => page.evaluate<boolean>(hasFocus), eventually).toBe(true);
    await dialog.getByRole('button', { name: `Show ${added.title}` }).click();
    await dialog.getByRole('button', { name: `Move ${added.title} up` }).click();
    expect(await accessibilityViolations(page, '[role=dialog]')).toEqual([]);
    await saveScreenshots(page, 'home-metrics');
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('group', { name: added.title, exact: true }).waitFor();
    await expect
      .poll(() => page.getByRole('group', { name: titleOf(metrics[0]), exact: true }).count(), eventually)
      .toBe(0);
    // The private key has its own selection.
    expect((await scene.call('GET', '/api/home/key-metrics/configuration')).metrics).toEqual(metrics);
    expect(tab.pageErrors).toEqual([]);
    await tab.context.close();
  });

  test('shows quick links to users without access to the dashboard', async () => {
    const { scene } = fixture();
    const writer = await scene.addUser({ role: 'ACCOUNT_MANAGER', features: ['ASSET_READ'], name: 'Marc Devos' });
    const userTab = await scene.openAs(writer, '/');
    await userTab.page.getByRole('heading', { level: 1, name: 'Hello, Marc' }).waitFor();
    expect(await userTab.page.getByText('Key metrics').count()).toBe(0);
    expect(await userTab.page.getByRole('link', { name: 'Dashboard' }).count()).toBe(0);
    expect(await accessibilityViolations(userTab.page)).toEqual([]);
    await saveScreenshots(userTab.page, 'home-without-figures');
    await goTo(userTab.page, '/dashboard');
    await userTab.page.getByRole('heading', { name: 'You do not have permission' }).waitFor();
    await userTab.context.close();
  });
}
