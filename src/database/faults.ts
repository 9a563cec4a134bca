// Connection exceptions, the three kinds of server shutdown, too many connections.
const awayStates = /^(08...|57P0[123]|53300)$/;
const networkCalls = new Set(['connect', 'read', 'write']);
// The driver has no codes for these.
const awayMessages = /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered)/;

/** Whether an error says that the database is away, which passes, and not that a statement was wrong. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway);
  const { code = '', syscall = '' } = error as { code?: string; syscall?: string };
  return awayStates.test(code) || networkCalls.has(syscall) || awayMessages.test(error.message);
}

/** Whether a statement failed because the named unique index already holds such a row. */
export function violates(error: unknown, uniqueIndex: string): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23505' && constraint === uniqueIndex;
}
