import type { Logger } from 'pino';
import type { Transaction } from '../../database/transaction.ts';
import { isTransient } from '../../jobs/tasks/task-job.ts';
import { Problem } from '../../problems.ts';

/** Why the demo data of a location is incomplete. */
export interface DemoProblem {
  identifier: string;
  message: string;
}

/** Runs the work for one location in a savepoint. A failure does not affect the other locations. */
export async function attemptFor(
  { transaction, log }: { transaction: Transaction; log: Logger },
  identifier: string,
  work: () => Promise<void>,
): Promise<DemoProblem[]> {
  await transaction.query('savepoint demo_location');
  try {
    await work();
    await transaction.query('release savepoint demo_location');
    return [];
  } catch (error) {
    if (isTransient(error)) throw error;
    await transaction.query('rollback to savepoint demo_location');
    if (!(error instanceof Problem)) log.error({ event: 'demo.location-failed', identifier, err: error });
    return [{ identifier, message: error instanceof Problem ? error.message : `${identifier}: ${reasonOf(error)}` }];
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** One problem per location: a step that is repeated after a crash reports the same location again. */
export function withProblems(known: readonly DemoProblem[], found: readonly DemoProblem[]): DemoProblem[] {
  return [...new Map([...known, ...found].map((problem) => [problem.identifier, problem])).values()];
}
