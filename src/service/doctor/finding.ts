import { within } from '../../values/within.ts';

/** The result of a check. The message of WARN and FAIL says what to do. */
export interface Finding {
  check: string;
  status: 'OK' | 'WARN' | 'FAIL';
  message: string;
}

type Result = Omit<Finding, 'check'>;

export const ok = (message: string): Result => ({ status: 'OK', message });
export const warn = (message: string): Result => ({ status: 'WARN', message });
export const fail = (message: string): Result => ({ status: 'FAIL', message });

export interface Check {
  name: string;
  run(): Result | Promise<Result>;
}

const limitMs = 30_000;

/** Runs a check with a time limit. An error is a failed check. */
export async function runCheck({ name, run }: Check): Promise<Finding> {
  const late = () => fail(`No result within ${limitMs / 1000} s.`);
  const result = await within(limitMs, Promise.try(run), late).catch((error: Error) => fail(error.message));
  return { check: name, ...result };
}
