import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, keepPictures, seriousBarriers } from '../support/browser.ts';
import { ConsoleScene, type Person } from '../support/console.ts';

const eventually = { timeout: 30_000 };

describeInBrowser('the home page', { timeout: 120_000 }, () => {
  let scene: ConsoleScene;
  let admin: Person;

  beforeAll(async () => {
    scene = await ConsoleScene.start({ WAYPOST_SANDBOX: 'on', WAYPOST_SANDBOX_LIFE: 'off' });
    admin = await scene.addPerson({ role: 'ADMIN', name: 'Anna Berg' });
    await scene.makeDemoData(8);
  }, 180_000);
  afterAll(() => scene?.close());

  const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const entry = (page: Page, name: string, title: string) =>
    section(page, name).getByRole('listitem').filter({ hasText: title });

  test('shows the metrics, the score and its parts as the API has them', async () => {
    const { page, complaints } = await scene.openAs(admin, '/');
    await page.getByRole('heading', { level: 1, name: 'Hello, Anna' }).waitFor();
    const { metrics } = await scene.call('GET', '/api/home/key-metrics');
    for (const { title } of metrics) await page.getByRole('group', { name: title, exact: true }).waitFor();
    // Jobs may still be at work on the demo data: what the page shows is held against what the API says right after.
    await expect.poll(() => unlikeTheApi(page), eventually).toEqual([]);
    const { locations } = await scene.call('GET', '/api/home/locations/ranks?order=WORST_FIRST&size=1');
    await page.getByLabel('Order').first().click();
    await page.getByRole('option', { name: 'Worst first' }).click();
    await expect.poll(() => page.url(), eventually).toContain('order=WORST_FIRST');
    await expect
      .poll(() => section(page, 'Ranking').getByRole('row').nth(1).textContent(), eventually)
      .toContain(locations[0].name);
    await section(page, 'Suggestions').getByRole('listitem').first().waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'home');
    expect(complaints).toEqual([]);
  });

  /** Figures of the score that the API has and the page, read anew, does not show. */
  async function unlikeTheApi(page: Page): Promise<string[]> {
    await page.reload();
    const score = section(page, 'Location score');
    await score.getByText('of 100').first().waitFor();
    const { averageScore } = await scene.call('GET', '/api/home/locations/score?size=1');
    const { parts } = await scene.call('GET', '/api/home/score-parts');
    const shown = (await score.textContent()) ?? '';
    const figures = parts.map(
      ({ points, maxPoints }: Record<string, number>) => `${points?.toFixed(1)} of ${maxPoints}`,
    );
    return [String(Math.round(averageScore)), ...figures].filter((figure) => !shown.includes(figure));
  }

  test('a task that was dismissed is gone until its day, and comes back when it is undone', async () => {
    const { page, complaints } = await scene.openAs(admin, '/');
    const { tasks } = await scene.call('GET', '/api/home/tasks');
    const [{ title, locationsCount }] = tasks;
    await entry(page, 'Tasks', title)
      .getByRole('button', { name: `${title}: show` })
      .click();
    const places = page.getByRole('dialog', { name: `${title}: where` });
    await places.getByText(`${locationsCount} entr`).waitFor();
    await keepPictures(page, 'home-places');
    await page.keyboard.press('Escape');

    // By keyboard: the menu, its last entry, the day that is offered.
    await entry(page, 'Tasks', title)
      .getByRole('button', { name: `Dismiss: ${title}` })
      .press('Enter');
    await page.getByRole('menuitem', { name: 'Until a day …' }).press('Enter');
    const question = page.getByRole('dialog', { name: 'Dismiss until a day' });
    await question.getByLabel('Back on').fill('2020-01-01');
    await page.keyboard.press('Enter');
    await question.getByText(/until/).first().waitFor();
    const nextMonth = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
    await question.getByLabel('Back on').fill(nextMonth);
    await page.keyboard.press('Enter');
    await page
      .getByRole('status')
      .filter({ hasText: `“${title}” is dismissed until` })
      .waitFor();
    await section(page, 'Tasks').getByRole('button', { name: '1 dismissed' }).waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    const hers = await page.evaluate<{ dismissedUntil?: string }[]>(
      "fetch('/api/home/tasks?includeDismissed=true').then((answer) => answer.json()).then(({ response }) => response.tasks)",
    );
    expect(hers.filter(({ dismissedUntil }) => dismissedUntil === nextMonth)).toHaveLength(1);

    await page.getByRole('button', { name: 'Undo' }).click();
    await entry(page, 'Tasks', title)
      .getByRole('button', { name: `Dismiss: ${title}` })
      .waitFor();
    expect(await section(page, 'Tasks').getByRole('button', { name: '1 dismissed' }).count()).toBe(0);

    await page.getByRole('button', { name: `Dismiss: ${title}` }).click();
    await page.getByRole('menuitem', { name: 'For a week' }).click();
    await section(page, 'Tasks').getByRole('button', { name: '1 dismissed' }).click();
    await page.getByRole('button', { name: `Show again: ${title}` }).click();
    await page.getByRole('button', { name: `Dismiss: ${title}` }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('everybody chooses metrics of their own', async () => {
    const { page, complaints } = await scene.openAs(admin, '/');
    await page.getByRole('button', { name: 'Choose metrics' }).click();
    const { available, metrics } = await scene.call('GET', '/api/home/key-metrics/configuration');
    const titleOf = (name: string) => available.find((one: { name: string }) => one.name === name).title;
    const added = available.find(({ name }: { name: string }) => !metrics.includes(name));
    const choice = page.getByRole('dialog', { name: 'Choose your key metrics' });
    await choice.getByRole('button', { name: `Take ${titleOf(metrics[0])} away` }).click();
    await choice.getByRole('button', { name: `Show ${added.title}` }).click();
    await choice.getByRole('button', { name: `Move ${added.title} up` }).click();
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'home-metrics');
    await choice.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('group', { name: added.title, exact: true }).waitFor();
    await expect
      .poll(() => page.getByRole('group', { name: titleOf(metrics[0]), exact: true }).count(), eventually)
      .toBe(0);
    // The key of the partner has a choice of its own.
    expect((await scene.call('GET', '/api/home/key-metrics/configuration')).metrics).toEqual(metrics);
    expect(complaints).toEqual([]);
  });

  test('whoever sees no figures is shown the way to what they have', async () => {
    const writer = await scene.addPerson({ role: 'ACCOUNT_MANAGER', features: ['ASSET_READ'], name: 'Marc Devos' });
    const { page } = await scene.openAs(writer, '/');
    await page.getByRole('heading', { level: 1, name: 'Hello, Marc' }).waitFor();
    expect(await page.getByText('Key metrics').count()).toBe(0);
    expect(await seriousBarriers(page)).toEqual([]);
  });
});
