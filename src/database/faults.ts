// Connection exceptions, resources used up (connections, memory, disk), shutdown, a statement that took too long or lost
// its session, and a server that is read-only: a standby, or the former primary after a failover.
const awayStates = /^(08...|53...|57P0\d|57014|25006)$/;
const networkCalls = new Set(['getaddrinfo', 'connect', 'read', 'write']);
// The driver has no codes for these.
const awayMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered|Client was closed)/;

// A full disk and a bucket that is down fail in the same system calls: only the connection knows whose fault it was.
const networkFaults = new WeakSet<Error>();

/** For the connection to the database, of whatever breaks it. */
export function markDatabaseError(error: Error): void {
  if (isNetworkFault(error)) networkFaults.add(error);
}

const isNetworkFault = (error: Error & { syscall?: string }): boolean =>
  error instanceof AggregateError ? error.errors.some(isNetworkFault) : networkCalls.has(error.syscall ?? '');

/** Whether an error says that the database is away, which passes, and not that a statement or something else was wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '' } = error as { code?: string };
  return networkFaults.has(error) || awayStates.test(code) || awayMessages.test(error.message);
}

/** Whether a statement failed because the named unique index already holds such a row. */
export function violates(error: unknown, uniqueIndex: string): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23505' && constraint === uniqueIndex;
}
