import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startCli } from '../support/cli.ts';
import { freePort } from '../support/free-port.ts';
import { runReadmeCommands } from '../support/readme-commands.ts';

// Default settings: only the port and the folder are the test's own.
const dataDir = mkdtempSync(join(tmpdir(), 'waypost-first-contact-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const start = () => startCli(['start'], { PORT: '0', WAYPOST_DATA_DIR: dataDir });

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape
async function get(path: string): Promise<any> {
  const { baseUrl, privateKey } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
  const response = await fetch(`${baseUrl}/api/${path}`, { headers: { privateKey } });
  expect(response.status, path).toBe(200);
  return ((await response.json()) as { response: unknown }).response;
}

interface Webhook {
  id: number;
  type: string;
  description: string;
  health: { state: string };
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const sum = (counts: readonly { count: number }[]) => counts.reduce((total, { count }) => total + count, 0);

test('a first start with default settings creates complete demo data', { timeout: 700_000 }, async () => {
  const service = start();
  await service.waitForOutput(/Demo data is being created: 120 locations of three businesses/);
  await service.waitForOutput(/"service\.started"/);
  await expect
    .poll(async () => (await get('demo-data')).state, { timeout: 600_000, interval: 1000 })
    .not.toBe('RUNNING');
  expect(await get('demo-data')).toEqual({
    state: 'COMPLETE',
    progress: 100,
    message: 'Demo data is complete: 120 locations.',
  });

  expect((await get('locations?max=1')).count).toBe(120);
  expect((await get('locations?max=1&status=ACTIVE')).count).toBeGreaterThan(90);
  expect((await get('listings?max=1')).count).toBeGreaterThan(1500);
  const { ratingCount } = await get(`dashboard/customer-feedback?startDate=${daysAgo(360)}&endDate=${daysAgo(1)}`);
  expect(ratingCount).toBeGreaterThan(5000);
  const { metrics } = await get('dashboard/insights-data?type=GOOGLE&group=MONTH');
  for (const { name, data } of metrics) expect(sum(data), name).toBeGreaterThan(0);
  expect((await get('social-posts?max=1')).count).toBe(7);
  expect((await get('dam/assets?size=1')).count).toBe(7);
  // Some locations are incomplete on purpose, so that Home has tasks.
  const { tasks } = await get('home/tasks');
  expect(tasks.map(({ type }: { type: string }) => type)).toEqual(
    expect.arrayContaining(['LOCATION_START_FIRST_SYNC', 'LOCATION_PROPERTIES_MISSING']),
  );

  // Webhooks, their pages, Events and the charts show the core at work.
  const webhooks: Webhook[] = await get('sales-partners/webhooks');
  expect(webhooks).toHaveLength(5);
  for (const { id, description } of webhooks) {
    const isFailing = description.includes('set to fail');
    const { deliveries } = await get(
      `sales-partners/webhooks/${id}/deliveries?states=${isFailing ? 'RETRYING' : 'DELIVERED'}`,
    );
    expect(deliveries.length, description).toBeGreaterThan(0);
    const { totals } = await get(`sales-partners/webhooks/${id}/statistics`);
    expect(isFailing ? totals.failed : totals.delivered, description).toBeGreaterThan(0);
  }
  expect(webhooks.filter(({ health }) => health.state !== 'HEALTHY')).toMatchObject([
    { type: 'LOCATION_STATUS_CHANGED' },
  ]);

  const { baseUrl } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
  await runReadmeCommands({ baseUrl, dataDir, port: await freePort() });
  // The README leaves no webhook behind.
  expect(await get('sales-partners/webhooks')).toHaveLength(5);
  expect(await service.interrupt()).toMatchObject({ code: 0 });

  const next = start();
  await next.waitForOutput(/"service\.started"/);
  const shown = next.lines().join('\n');
  expect(shown).toMatch(/Demo data is complete: 120 locations\./);
  expect(shown).not.toMatch(/being created/);
  expect((await get('tasks?type=DEMO_DATA')).count).toBe(1);
  expect(await next.interrupt()).toMatchObject({ code: 0 });
});
