import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { DB, JsonObject } from '../../database/schema.ts';
import type { Caller } from '../../http/authenticate.ts';
import { recordResponse } from '../../http/record-response.ts';

export const taskStatuses = ['CREATED', 'RUNNING', 'FINISHED', 'FAILED', 'CANCELLED'] as const;
type TaskStatus = (typeof taskStatuses)[number];

/** Statuses of tasks that have not ended. */
export const openTaskStatuses = ['CREATED', 'RUNNING'] as const satisfies TaskStatus[];

export const taskColumns = [
  'id',
  'partnerId',
  // For example LOCATION_IMPORT.
  'type',
  'status',
  'parameters',
  // The number of items; null until it is known.
  'total',
  'done',
  'failed',
  'result',
  'error',
  'createdBy',
  'dateCreated',
  'dateStarted',
  'dateFinished',
] as const;

/** Work that takes longer than a request, with progress and cancellation. */
export interface Task extends Pick<Selectable<DB['tasks']>, (typeof taskColumns)[number]> {
  status: TaskStatus;
  parameters: JsonObject;
  /** Partial until the task has finished. */
  result: JsonObject;
}

export const taskResponseFields = {
  id: Type.Integer(),
  status: Type.Enum([...taskStatuses]),
  progress: Type.Integer({ minimum: 0, maximum: 100, description: 'Percentage; 100 only when the task is finished' }),
  error: Type.Optional(Type.String({ description: 'Why the task failed' })),
  createdBy: Type.String(),
  dateCreated: Type.String(),
  dateStarted: Type.Optional(Type.String()),
  dateFinished: Type.Optional(Type.String()),
};

export const TaskResponse = Type.Object({
  ...taskResponseFields,
  type: Type.String({ description: 'Task type, for example LOCATION_IMPORT' }),
  total: Type.Optional(Type.Integer({ description: 'Number of items; absent until it is known' })),
  done: Type.Integer(),
  failed: Type.Integer(),
  result: Type.Record(Type.String(), Type.Unknown()),
});

const TaskProgress = Type.Object(taskResponseFields);

/** Fields common to all task responses. */
export const taskProgressResponse = (task: Task) =>
  recordResponse(TaskProgress, { ...task, progress: progressOf(task) });

export const taskResponse = (task: Task): Static<typeof TaskResponse> =>
  recordResponse(TaskResponse, { ...task, progress: progressOf(task) });

export function progressOf({
  status,
  total,
  done,
  failed,
}: Pick<Task, 'status' | 'total' | 'done' | 'failed'>): number {
  if (status === 'FINISHED') return 100;
  if (!total) return 0;
  return Math.min(99, Math.floor((100 * (done + failed)) / total));
}

export const hasEnded = ({ status }: Pick<Task, 'status'>) => !openTaskStatuses.some((open) => open === status);

export interface TaskFilter {
  partnerId: number;
  /** Tasks of this user; tasks of earlier versions have only the e-mail address. */
  user?: { id: number; email: string };
  types?: readonly string[] | undefined;
  statuses?: readonly TaskStatus[] | undefined;
  /** The last task of the previous page. */
  after?: number | undefined;
}

/** Users with restricted access see only their own tasks. */
export const taskConditions = (
  { partnerId, user }: Caller,
  wanted: Pick<TaskFilter, 'types' | 'statuses' | 'after'> = {},
): TaskFilter => ({ partnerId, ...(user && user.reach.businessIds !== null && { user }), ...wanted });
