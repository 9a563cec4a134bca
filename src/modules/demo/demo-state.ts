import type { Sql } from '../../database/connection.ts';
import { hasEnded, progressOf, type Task } from '../../jobs/tasks/task.ts';
import type { DemoProblem } from './demo-problems.ts';
import { type DemoRequest, isIncomplete, newestDemoTask } from './demo-task.ts';

export interface DemoData {
  state: 'RUNNING' | 'COMPLETE' | 'INCOMPLETE';
  /** In percent. */
  progress: number;
  /** State for users, and what to do if the data is incomplete. */
  message: string;
}

/** Undefined if no demo data was requested, or if its task has been deleted. */
export async function findDemoData(sql: Sql, partnerId: number): Promise<DemoData | undefined> {
  const task = await newestDemoTask(sql, partnerId);
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
