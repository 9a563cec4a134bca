import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { makeDemoData } from '../../../test/support/demo.ts';
import { startSandbox, type TestSandbox } from '../../../test/support/sandbox.ts';
import type { Task } from '../tasks/task.ts';

let api: TestApi;
let sandbox: TestSandbox;

beforeAll(async () => {
  api = await TestApi.start();
  sandbox = await startSandbox();
});
afterAll(async () => {
  await api.close();
  await sandbox.close();
});

const rows = async <Row extends object>(statement: string, ...values: unknown[]): Promise<Row[]> =>
  (await api.database.pool.query<Row>(statement, values)).rows;

const counts = async (partner: TestPartner) =>
  rows(
    `select (select count(*) from businesses where partner_id = $1) as businesses,
       (select count(*) from product_plans where partner_id = $1) as plans,
       (select count(*) from locations where partner_id = $1) as locations,
       (select count(*) from listings where partner_id = $1) as listings,
       (select count(*) from events where partner_id = $1 and type = 'LOCATION_CREATED') as events`,
    partner.partner.id,
  );

describe('ten locations', { timeout: 120_000 }, () => {
  let partner: TestPartner;
  let task: Task;

  beforeAll(async () => {
    partner = await api.addPartner();
    task = await makeDemoData(api.database, sandbox.directories, partner.partner);
  }, 120_000);

  test('the task ends well and says what it made', () => {
    expect(task).toMatchObject({ status: 'FINISHED', error: null, total: 20, done: 20, result: { locations: 10 } });
    expect(Number(task.result.pages)).toBeGreaterThan(50);
  });

  test('they are locations of three businesses with plans, created as any others are', async () => {
    const { locations } = (await partner.call('GET', '/api/locations?max=50')).body.response;
    expect(locations).toHaveLength(10);
    const { businesses } = (await partner.call('GET', '/api/businesses')).body.response;
    expect(businesses).toHaveLength(3);
    expect(businesses.map(({ status }: { status: string }) => status)).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE']);
    const events = await rows<{ source: string }>(
      `select body ->> 'source' as source from events where partner_id = $1 and type = 'LOCATION_CREATED'`,
      partner.partner.id,
    );
    expect(events).toEqual(Array(10).fill({ source: 'DEMO_JOB' }));
  });
});
