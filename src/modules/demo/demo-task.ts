import { Conditions } from '../../database/conditions.ts';
import type { Sql } from '../../database/connection.ts';
import type { Transaction } from '../../database/transaction.ts';
import { defineJob } from '../../jobs/job.ts';
import { hasEnded, type Task } from '../../jobs/tasks/task.ts';
import { createTask, listTasks, taskDefinition } from '../../jobs/tasks/task-store.ts';
import { systemActor } from '../accounts/index.ts';
import { businessStatuses, countBusinesses } from '../catalog/index.ts';
import { businessIdentifier, demoBusinesses } from './demo-business.ts';

export const demoJob = defineJob('demo.create', taskDefinition);
const demoTask = 'DEMO_DATA';

export const mostDemoLocations = 100_000;

/** What is asked for, as the task keeps it. */
export interface DemoOrder {
  locations: number;
  seed: string;
  /** When the incomplete task before it was created: this one goes on with its locations. */
  began?: string;
}

interface Partner {
  id: number;
  identifier: string;
}

/** A location is made, then its listings are checked: two pieces of work for each. */
const piecesPerLocation = 2;

/** Has demo data made. Answers the task that is under way when somebody has asked for some before. */
export async function orderDemoData(
  transaction: Transaction,
  partner: Partner,
  order: DemoOrder,
): Promise<{ task: Task; isNew: boolean }> {
  await oneAtATime(transaction, partner);
  const [underWay] = await demoTasks(transaction, partner.id, ['CREATED', 'RUNNING']);
  if (underWay) return { task: underWay, isNew: false };
  const previous = await newestDemoTask(transaction, partner.id);
  const began = previous && isIncomplete(previous) ? startOf(previous, order.seed) : undefined;
  const task = await createTask(transaction, systemActor(partner), {
    type: demoTask,
    parameters: { ...order, ...(began && { began }) },
    total: order.locations * piecesPerLocation,
    job: demoJob,
  });
  return { task, isNew: true };
}

/** It has ended, and not everything that was ordered is there. */
export const isIncomplete = (task: Task): boolean =>
  hasEnded(task) && (task.status !== 'FINISHED' || ((task.result.problems as unknown[] | undefined) ?? []).length > 0);

function startOf({ parameters, dateCreated }: Task, seed: string): string | undefined {
  const order = parameters as unknown as DemoOrder;
  return order.seed === seed ? (order.began ?? dateCreated.toISOString()) : undefined;
}

/** What a new installation begins with. Nothing where there has been demo data before, whatever became of it. */
export async function orderFirstDemoData(
  transaction: Transaction,
  partner: Partner,
  order: DemoOrder,
): Promise<Task | undefined> {
  await oneAtATime(transaction, partner);
  if (order.locations === 0 || (await hadDemoData(transaction, partner.id))) return undefined;
  return (await orderDemoData(transaction, partner, order)).task;
}

async function hadDemoData(sql: Sql, partnerId: number): Promise<boolean> {
  const filter = {
    reach: { businessIds: null, locationIds: null },
    status: businessStatuses,
    identifier: demoBusinesses.map(businessIdentifier),
  };
  if ((await countBusinesses(sql, partnerId, filter)).count > 0) return true;
  return (await demoTasks(sql, partnerId)).length > 0;
}

export async function newestDemoTask(sql: Sql, partnerId: number): Promise<Task | undefined> {
  return (await demoTasks(sql, partnerId))[0];
}

/** The newest first. */
async function demoTasks(sql: Sql, partnerId: number, statuses?: readonly Task['status'][]): Promise<Task[]> {
  const conditions = new Conditions(partnerId, demoTask).add('partner_id = $1').add('type = $2');
  if (statuses) conditions.add(`status = any (${conditions.value(statuses)})`);
  return listTasks(sql, conditions, { offset: 0, limit: 1 });
}

/** Two processes that start at once ask for it once. */
async function oneAtATime(transaction: Transaction, { id }: Partner): Promise<void> {
  await transaction.query(`select pg_advisory_xact_lock(hashtextextended('demo data of partner ' || $1::bigint, 0))`, [
    id,
  ]);
}
