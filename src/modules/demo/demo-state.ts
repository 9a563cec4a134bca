import type { Sql } from '../../database/connection.ts';
import { hasEnded, progressOf, type Task } from '../../jobs/tasks/task.ts';
import type { DemoProblem } from './demo-problems.ts';
import { type DemoOrder, isIncomplete, newestDemoTask } from './demo-task.ts';

export interface DemoData {
  state: 'RUNNING' | 'COMPLETE' | 'INCOMPLETE';
  /** Per cent. */
  progress: number;
  /** For people: what there is, and what to do where something is missing. */
  message: string;
}

/** How far the demo data of a partner is; undefined where none was ordered, or where that is long ago. */
export async function findDemoData(sql: Sql, partnerId: number): Promise<DemoData | undefined> {
  const task = await newestDemoTask(sql, partnerId);
  return task && demoDataOf(task);
}

export function demoDataOf(task: Task): DemoData {
  const { locations: ordered } = task.parameters as unknown as DemoOrder;
  const { locations = 0, problems = [] } = task.result as { locations?: number; problems?: DemoProblem[] };
  const progress = progressOf(task);
  if (!hasEnded(task)) {
    const message =
      `Demo data is being created: ${ordered} locations of three businesses, with listings, reviews and insights. ` +
      'It takes two to three minutes; everything works meanwhile. "bin/waypost demo" shows the progress.';
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
