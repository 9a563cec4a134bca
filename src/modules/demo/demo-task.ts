import type { Sql } from '../../database/connection.ts';
import { lockName, type Transaction } from '../../database/transaction.ts';
import { fullReach } from '../../http/access.ts';
import { defineJob } from '../../jobs/job.ts';
import { hasEnded, openTaskStatuses, progressOf, type Task } from '../../jobs/tasks/task.ts';
import { createTask, listTasks, taskDefinition } from '../../jobs/tasks/task-store.ts';
import { type Actor, systemActor } from '../accounts/index.ts';
import { businessStatuses, countBusinesses } from '../catalog/index.ts';
import { businessIdentifier, demoBusinesses } from './demo-business.ts';
import type { DemoProblem } from './ensure-locations.ts';

export const demoJob = defineJob('demo.create', taskDefinition);
const demoTask = 'DEMO_DATA';

export const maxDemoLocations = 100_000;

/** Parameters of the task. */
export interface DemoRequest {
  locations: number;
  seed: string;
  /** Creation time of the incomplete task that this one continues. */
  began?: string;
}

type Partner = Actor['partner'];

/** Create the location, then check its listings. */
const stepsPerLocation = 2;

/** Returns the running task if there is one. */
export async function requestDemoData(
  transaction: Transaction,
  partner: Partner,
  request: DemoRequest,
): Promise<{ task: Task; isNew: boolean }> {
  await lockDemoData(transaction, partner);
  const underWay = await findDemoTask(transaction, partner.id, openTaskStatuses);
  if (underWay) return { task: underWay, isNew: false };
  const previous = await findDemoTask(transaction, partner.id);
  const began = previous && isIncomplete(previous) ? startOf(previous, request.seed) : undefined;
  const task = await createTask(transaction, systemActor(partner), {
    type: demoTask,
    parameters: { ...request, ...(began && { began }) },
    total: request.locations * stepsPerLocation,
    job: demoJob,
  });
  return { task, isNew: true };
}

/** The task has ended without creating all requested data. */
export const isIncomplete = (task: Task): boolean =>
  hasEnded(task) && (task.status !== 'FINISHED' || ((task.result.problems as unknown[] | undefined) ?? []).length > 0);

function startOf({ parameters, dateCreated }: Task, seed: string): string | undefined {
  const request = parameters as unknown as DemoRequest;
  return request.seed === seed ? (request.began ?? dateCreated.toISOString()) : undefined;
}

/** Demo data of a new installation. Undefined if demo data was requested before, even if it failed. */
export async function requestInitialDemoData(
  transaction: Transaction,
  partner: Partner,
  request: DemoRequest,
): Promise<Task | undefined> {
  await lockDemoData(transaction, partner);
  if (request.locations === 0 || (await hadDemoData(transaction, partner.id))) return undefined;
  return (await requestDemoData(transaction, partner, request)).task;
}

async function hadDemoData(sql: Sql, partnerId: number): Promise<boolean> {
  const filter = {
    reach: fullReach,
    status: [...businessStatuses],
    identifier: demoBusinesses.map(businessIdentifier),
  };
  if ((await countBusinesses(sql, partnerId, filter)).count > 0) return true;
  return (await findDemoTask(sql, partnerId)) !== undefined;
}

/** The newest one. */
async function findDemoTask(sql: Sql, partnerId: number, statuses?: readonly Task['status'][]) {
  const [task] = await listTasks(sql, { partnerId, types: [demoTask], statuses }, { offset: 0, limit: 1 });
  return task;
}

/** Serializes requests of processes that start at the same time. */
async function lockDemoData(transaction: Transaction, { id }: Partner): Promise<void> {
  await lockName(transaction, `demo data of partner ${id}`);
}

export interface DemoData {
  state: 'RUNNING' | 'COMPLETE' | 'INCOMPLETE';
  /** In percent. */
  progress: number;
  /** State for users, and what to do if the data is incomplete. */
  message: string;
}

/** Undefined if no demo data was requested, or if its task has been deleted. */
export async function findDemoData(sql: Sql, partnerId: number): Promise<DemoData | undefined> {
  const task = await findDemoTask(sql, partnerId);
  return task && demoDataOf(task);
}

export function demoDataOf(task: Task): DemoData {
  const { locations: ordered } = task.parameters as unknown as DemoRequest;
  const { locations = 0, problems = [] } = task.result as { locations?: number; problems?: DemoProblem[] };
  const progress = progressOf(task);
  if (!hasEnded(task)) {
    const message =
      `Demo data is being created: ${ordered} locations of three businesses, with listings, reviews and insights. ` +
      'This takes two to three minutes. You can use Waypost meanwhile. "bin/waypost demo" shows the progress.';
    return { state: 'RUNNING', progress, message };
  }
  if (!isIncomplete(task)) {
    return { state: 'COMPLETE', progress, message: `Demo data is complete: ${ordered} locations.` };
  }
  const reason = task.error ?? (task.status === 'CANCELLED' ? 'The task was cancelled.' : problemText(problems));
  const message =
    `Demo data is incomplete: ${locations} of ${ordered} locations were created. ${reason} ` +
    'Run "bin/waypost demo" to create the rest.';
  return { state: 'INCOMPLETE', progress, message };
}

function problemText(problems: readonly DemoProblem[]): string {
  const [first] = problems;
  const others = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return `${first?.message.replace(/\.$/, '')}${others}.`;
}
