import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { cancelTask, finishTask } from '../../jobs/tasks/task-store.ts';
import { dayOf } from '../../values/calendar.ts';
import { systemActor } from '../accounts/actor.ts';
import { ensureBusinesses } from './demo-business.ts';
import { requestDemoData, requestInitialDemoData } from './demo-task.ts';

let api: TestApi;
let partner: TestPartner;

beforeAll(async () => {
  api = await TestApi.start();
});
beforeEach(async () => {
  partner = await api.addPartner();
});
afterAll(() => api.close());

const order = { locations: 120, seed: '1' };
const orderFirst = (wanted = order) =>
  api.database.transaction((transaction) => requestInitialDemoData(transaction, partner.partner, wanted));
const orderMore = (wanted = order) =>
  api.database.transaction((transaction) => requestDemoData(transaction, partner.partner, wanted));

test('the first start requests demo data once, even if two processes start concurrently', async () => {
  const asked = await Promise.all([orderFirst(), orderFirst(), orderFirst()]);
  expect(asked.filter((task) => task !== undefined)).toMatchObject([
    { type: 'DEMO_DATA', parameters: order, total: 240 },
  ]);
  const { tasks } = (await partner.call('GET', '/api/tasks?type=DEMO_DATA')).body.response;
  expect(tasks).toHaveLength(1);
});

test('later starts do not request it again, even if it failed', async () => {
  const task = await orderFirst();
  await api.database.transaction((transaction) => cancelTask(transaction, task?.id ?? 0));
  expect(await orderFirst()).toBe(undefined);
});

test('a start with existing demo businesses requests none, even without a task', async () => {
  await api.database.transaction((transaction) =>
    ensureBusinesses(transaction, systemActor(partner.partner), dayOf(new Date())),
  );
  expect(await orderFirst()).toBe(undefined);
});

test('an installation with zero demo locations requests none', async () => {
  expect(await orderFirst({ ...order, locations: 0 })).toBe(undefined);
});

test('accepts another request after the previous one has finished', async () => {
  const first = await orderMore();
  expect(first.isNew).toBe(true);
  expect(await orderMore({ ...order, locations: 200 })).toMatchObject({ isNew: false, task: { id: first.task.id } });
  await finishTask(api.database.pool, first.task.id);
  expect(await orderMore({ ...order, locations: 200 })).toMatchObject({ isNew: true, task: { total: 400 } });
});
