import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/connection.ts';
import { isDatabaseUnavailable } from '../database/faults.ts';
import { missingMigrations } from '../database/migrate.ts';
import { isReadOnly } from '../database/wait-for-database.ts';
import { success } from '../http/envelope.ts';
import type { Services } from '../http/services.ts';

const patienceMs = 2000;

/** For whoever watches over the process. Outside the API: no key, no limit, no version. */
export function healthRoutes(server: FastifyInstance, { database, stopping }: Services): void {
  const open = { config: { access: 'probe' as const } };
  // Probes that come while one is answered share its query: however many come, the database is asked by one at a time.
  let checking: Promise<string | undefined> | undefined;
  const obstacle = () => {
    checking ??= obstacleTo(database).finally(() => {
      checking = undefined;
    });
    return checking;
  };

  server.get('/health/live', open, async () => success({ live: true }));

  server.get('/health/ready', open, async (request, reply) => {
    const found = stopping?.aborted
      ? 'This process is being stopped.'
      : await obstacle().catch((error) => {
          request.log.warn({ event: 'health.not-ready', err: error });
          return `The database ${isDatabaseUnavailable(error) ? 'cannot be reached' : 'cannot be used; the log says why'}.`;
        });
    if (found === undefined) return success({ ready: true });
    return reply
      .code(503)
      .header('retry-after', '5')
      .send({ status: 'SERVICE_UNAVAILABLE', message: found, response: { ready: false } });
  });
}

/** Why requests could not be answered right now, or undefined when they can. */
async function obstacleTo(database: Database): Promise<string | undefined> {
  const patience = new AbortController();
  const late = wait(patienceMs, `The database has not answered within ${patienceMs / 1000} s.`, {
    signal: patience.signal,
  });
  late.catch(() => {});
  try {
    return await Promise.race([whatIsMissing(database), late]);
  } finally {
    patience.abort();
  }
}

async function whatIsMissing(database: Database): Promise<string | undefined> {
  if (await isReadOnly(database.pool)) return 'The database is read-only: a standby, or the primary before a failover.';
  const missing = await missingMigrations(database.pool);
  return missing.length > 0 ? `The database lacks these migrations: ${missing.join(', ')}.` : undefined;
}
