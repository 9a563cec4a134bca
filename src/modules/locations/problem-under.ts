import { Problem, type ProblemName } from '../../problems.ts';

/** What is wrong with one part of a request names its fields with the part before them: `location.zip`. */
export async function problemUnder<T>(part: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Problem) || error.errors.length === 0) throw error;
    throw new Problem((error.errorCode ?? error.status) as ProblemName, {
      message: error.message,
      errors: error.errors.map((one) => ({ ...one, field: `${part}.${one.field}` })),
    });
  }
}
