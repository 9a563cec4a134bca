import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/connection.ts';
import { isDatabaseUnavailable, isReadOnly } from '../database/faults.ts';
import { pendingMigrations } from '../database/schema-state.ts';
import { success } from '../http/envelope.ts';
import type { Services } from '../http/services.ts';
import { singleFlight } from '../values/single-flight.ts';
import { withTimeout } from '../values/with-timeout.ts';

const timeoutMs = 2000;

/** Health checks, without key, rate limit and version. */
export function healthRoutes(server: FastifyInstance, { database, stopping }: Services): void {
  const open = { config: { access: 'probe' as const } };
  // Concurrent probes share one query.
  const check = singleFlight(() => checkDatabase(database));

  server.get('/health/live', open, async () => success({ live: true }));

  server.get('/health/ready', open, async (request, reply) => {
    const found = stopping?.aborted
      ? 'The process is shutting down.'
      : await check().catch((error) => {
          request.log.warn({ event: 'health.not-ready', err: error });
          return `The database ${isDatabaseUnavailable(error) ? 'cannot be reached' : 'cannot be used; see the log'}.`;
        });
    if (found === undefined)
      return success({ ready: true, ...(database.replica && { replica: database.replica.status }) });
    return reply
      .code(503)
      .header('retry-after', '5')
      .send({ status: 'SERVICE_UNAVAILABLE', message: found, response: { ready: false } });
  });
}

/** Why the process is not ready, or undefined if it is. */
const checkDatabase = (database: Database): Promise<string | undefined> =>
  withTimeout(
    timeoutMs,
    findDatabaseProblem(database),
    () => `The database did not respond within ${timeoutMs / 1000} s.`,
  );

async function findDatabaseProblem(database: Database): Promise<string | undefined> {
  if (await isReadOnly(database.pool)) return 'The database is read-only: a standby, or the primary before a failover.';
  const pending = await pendingMigrations(database.pool);
  return pending.length > 0 ? `These migrations are not applied: ${pending.join(', ')}.` : undefined;
}
