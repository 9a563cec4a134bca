import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Transaction } from '../../../database/transaction.ts';
import { type Permission, requirePermission } from '../../../http/access.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { idParams } from '../../../http/ids.ts';
import { longList, longListSchema, pageQuery } from '../../../http/pagination.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { type Task, TaskResponse, taskConditions, taskResponse, taskStatuses } from '../../../jobs/tasks/task.ts';
import { cancelTask, countTasks, findTask, listTasks } from '../../../jobs/tasks/task-store.ts';
import { Problem, requireFound } from '../../../problems.ts';
import { actorOf } from '../actor.ts';

export function taskRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/tasks',
    summary: 'List running and finished tasks, newest first',
    query: Type.Object({
      ...pageQuery,
      type: Type.Optional(Type.Array(Type.String({ maxLength: 100 }))),
      status: Type.Optional(Type.Array(Type.Enum([...taskStatuses]))),
    }),
    response: longListSchema('tasks', TaskResponse),
    handler: async ({ caller, query }) => {
      const { offset, max, after, type: types, status: statuses } = query;
      const [counted, found] = await Promise.all([
        countTasks(database.pool, taskConditions(caller, { types, statuses })),
        listTasks(database.pool, taskConditions(caller, { types, statuses, after }), { offset, limit: max + 1 }),
      ]);
      return longList('tasks', query, counted, found, taskResponse);
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/tasks/:id',
    summary: 'Get a task and its progress',
    params: idParams,
    response: TaskResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) =>
      taskResponse(requireFound(await findTask(database.pool, taskConditions(caller), id), `task ${id}`)),
  });

  route(server, {
    method: 'POST',
    path: '/api/tasks/:id/cancel',
    summary: 'Cancel a task. Completed work is kept.',
    params: idParams,
    response: TaskResponse,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) =>
        taskResponse(await cancelVisibleTask(transaction, request.caller, request.params.id)),
      ),
  });
}

/** By task type: the permission to create a task, which is also required to cancel it. Default: ADMIN. */
const permissions: Readonly<Record<string, Permission>> = {
  DASHBOARD_REPORT: 'DASHBOARD_READ',
  EXCEL_EXPORT: 'DASHBOARD_READ',
  LOCATION_DATA_DOWNLOAD: 'LOCATION_WRITE',
  LOCATION_IMPORT: 'LOCATION_WRITE',
  LOCATION_SYNC: 'LOCATION_WRITE',
};

/** Cancels a task that is visible to the caller. With `types`, other tasks are not found. */
export async function cancelVisibleTask(
  transaction: Transaction,
  caller: Caller,
  id: number,
  { types, noun = 'task' }: { types?: readonly string[]; noun?: string } = {},
): Promise<Task> {
  const visible = () => findTask(transaction, taskConditions(caller, { types }), id);
  const task = requireFound(await visible(), `${noun} ${id}`);
  requirePermission(caller, permissions[task.type] ?? 'ADMIN');
  if (!(await cancelTask(transaction, id))) {
    const { status } = (await visible()) ?? task;
    throw new Problem('CONFLICT', { message: `The ${noun} ${id} is already ${status} and cannot be cancelled.` });
  }
  await recordAudit(transaction, actorOf(caller), 'CANCELLED', task.type, id);
  return (await visible()) ?? task;
}
