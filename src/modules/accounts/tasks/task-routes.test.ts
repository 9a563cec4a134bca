import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addUser } from '../../../../test/support/users.ts';
import { createTask, failTask, finishTask, isCancelled, reportItems } from '../../../jobs/tasks/task-store.ts';
import { systemActor } from '../actor.ts';

let api: TestApi;
let partner: TestPartner;

beforeAll(async () => {
  api = await TestApi.start();
});
beforeEach(async () => {
  partner = await api.addPartner();
});
afterAll(() => api.close());

const newTask = (type = 'LOCATION_SYNC', total?: number) =>
  api.database.transaction((transaction) =>
    createTask(transaction, systemActor(partner.partner), { type, ...(total !== undefined && { total }) }),
  );

const read = async (id: number) => (await partner.call('GET', `/api/tasks/${id}`)).body.response;

test('a task shows its progress from created to finished', async () => {
  const { id } = await newTask('LOCATION_SYNC', 1000);
  expect(await read(id)).toMatchObject({ id, type: 'LOCATION_SYNC', status: 'CREATED', progress: 0, total: 1000 });
  await reportItems(api.database.pool, id, { done: 300, failed: 100 });
  await reportItems(api.database.pool, id, { done: 200 });
  expect(await read(id)).toMatchObject({ status: 'RUNNING', progress: 60, done: 500, failed: 100 });
  await reportItems(api.database.pool, id, { done: 399 });
  expect(await read(id)).toMatchObject({ status: 'RUNNING', progress: 99 });
  expect(await finishTask(api.database.pool, id, { checked: 1000 })).toBe(true);
  const finished = await read(id);
  expect(finished).toMatchObject({ status: 'FINISHED', progress: 100, result: { checked: 1000 } });
  expect(Date.parse(finished.dateFinished)).toBeGreaterThanOrEqual(Date.parse(finished.dateStarted));
});

test('a failed task contains the reason', async () => {
  const { id } = await newTask();
  await failTask(api.database.pool, id, 'The file was deleted.');
  expect(await read(id)).toMatchObject({ status: 'FAILED', error: 'The file was deleted.' });
});

test('cancels a task once; a cancelled task cannot finish', async () => {
  const { id } = await newTask();
  expect(await isCancelled(api.database.pool, id)).toBe(false);
  const cancelled = await partner.call('POST', `/api/tasks/${id}/cancel`);
  expect(cancelled.body.response).toMatchObject({ id, status: 'CANCELLED' });
  expect(await isCancelled(api.database.pool, id)).toBe(true);
  expect(await finishTask(api.database.pool, id)).toBe(false);
  const again = await partner.call('POST', `/api/tasks/${id}/cancel`);
  expect(again.code).toBe(409);
  expect(again.body.message).toContain('already CANCELLED');
});

test('lists tasks newest first, by type and status, page by page', async () => {
  const sync = await newTask('LOCATION_SYNC');
  const demo = await newTask('DEMO_DATA');
  const later = await newTask('LOCATION_SYNC');
  await finishTask(api.database.pool, demo.id);
  const ids = async (query: string) => {
    const { body } = await partner.call('GET', `/api/tasks${query}`);
    return body.response.tasks.map(({ id }: { id: number }) => id);
  };
  expect(await ids('')).toEqual([later.id, demo.id, sync.id]);
  expect(await ids('?type=LOCATION_SYNC')).toEqual([later.id, sync.id]);
  expect(await ids('?status=FINISHED,FAILED')).toEqual([demo.id]);
  const first = (await partner.call('GET', '/api/tasks?max=2')).body.response;
  expect(first).toMatchObject({ count: 3, countIsExact: true, after: demo.id });
  expect(await ids(`?max=2&after=${first.after}`)).toEqual([sync.id]);
});

test('tasks of other partners are not found', async () => {
  const { id } = await newTask();
  const other = await api.addPartner();
  expect((await other.call('GET', `/api/tasks/${id}`)).code).toBe(404);
  expect((await other.call('POST', `/api/tasks/${id}/cancel`)).code).toBe(404);
  expect((await other.call('GET', '/api/tasks')).body.response.tasks).toEqual([]);
});

test('a user with limited reach sees only tasks that they started', async () => {
  const { id } = await newTask();
  const manager = await addUser(api, partner, { role: 'LOCATION_MANAGER' });
  const start = (user?: { id: number }) =>
    api.database.transaction((transaction) =>
      createTask(
        transaction,
        { partner: partner.partner, by: manager.user.email, ...(user && { user }) },
        { type: 'LOCATION_SYNC' },
      ),
    );
  const own = await start(manager.user);
  expect((await manager.call('GET', `/api/tasks/${id}`)).code).toBe(404);
  expect((await manager.call('POST', `/api/tasks/${id}/cancel`)).code).toBe(404);
  const listed = async () =>
    (await manager.call('GET', '/api/tasks')).body.response.tasks.map((task: { id: number }) => task.id);
  expect(await listed()).toEqual([own.id]);

  // Tasks of earlier versions name the user only by e-mail address.
  const ofEarlierVersion = await start();
  await start({ id: manager.user.id + 1000 });
  expect(await listed()).toEqual([ofEarlierVersion.id, own.id]);
  await partner.call('PATCH', `/api/users/${manager.user.id}`, { email: 'new@example.test' });
  await expect.poll(listed).toEqual([own.id]);
  expect((await manager.call('POST', `/api/tasks/${own.id}/cancel`)).code).toBe(200);
});

test('cancelling a task requires the permission to create it', async () => {
  const user = await addUser(api, partner, { role: 'ACCOUNT_MANAGER', features: ['LOCATION_READ', 'DASHBOARD_READ'] });
  const cancel = async (type: string) =>
    (await user.call('POST', `/api/tasks/${(await newTask(type)).id}/cancel`)).code;
  expect(await cancel('LOCATION_SYNC')).toBe(403);
  expect(await cancel('DEMO_DATA')).toBe(403);
  expect(await cancel('EXCEL_EXPORT')).toBe(200);
});
