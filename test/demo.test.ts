import { expect, test } from 'vitest';
import { temporaryFolder } from '../src/cli/command-process.ts';
import { Fleet } from './support/fleet.ts';

const patience = { timeout: 240_000 };

interface Made {
  status: string;
  locations: number;
  datapoints: number;
  insights: number;
}

const made = async (fleet: Fleet) =>
  (
    await fleet.rows<Made>(
      `select status, (select count(*) from locations) as locations, (select count(*) from datapoints) as datapoints,
         (select sum(cardinality(array_remove(counts, null))) from insights)::integer as insights
       from tasks where type = 'DEMO_DATA'`,
    )
  )[0];

test('the first start makes demo data beside its work, the next one leaves it as it is', patience, async () => {
  const fleet = await Fleet.assemble({
    PORT: '0',
    WAYPOST_DATA_DIR: temporaryFolder(),
    WAYPOST_DEMO_LOCATIONS: '6',
    WAYPOST_SANDBOX: 'on',
  });
  const first = fleet.start('start');
  await first.says(/Demo data is being made: 6 locations of three businesses/);
  const baseUrl = await first.says(/"service\.started".*"baseUrl":"([^"]+)"/);
  expect((await fetch(`${baseUrl}/health/ready`)).status).toBe(200);
  await expect.poll(async () => (await made(fleet))?.status, { timeout: 200_000, interval: 200 }).toBe('FINISHED');
  const { locations, datapoints, insights } = (await made(fleet)) as Made;
  expect(locations).toBe(6);
  expect(datapoints).toBeGreaterThan(200);
  expect(insights).toBeGreaterThan(6 * 365);
  expect(await first.interrupt()).toMatchObject({ code: 0 });

  const second = fleet.start('start');
  await second.says(/"service\.started"/);
  expect(second.lines().join('\n')).not.toMatch(/Demo data is being made/);
  expect(await fleet.rows("select from tasks where type = 'DEMO_DATA'")).toHaveLength(1);
});
