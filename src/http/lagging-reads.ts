import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Sql } from '../database/connection.ts';
import { isDatabaseUnavailable } from '../database/faults.ts';
import { currentPosition, ReplicaReads } from '../database/read-replica.ts';
import { cookieAttributes, cookieOf, safeMethods, sessionCookieOf } from './session-cookie.ts';

/** The server that a route reads from. `replica`: the replica while it is usable; the response may lag. */
export type ReadsFrom = 'primary' | 'replica';

/** Upper bound in seconds, in responses that were read from the replica. */
const lagHeader = 'x-replica-lag';

/** The position of the last write of a console session, so that its user sees it in the next responses. */
const positionName = 'waypost-position';

/** Runs the handler of a route with the database that it reads from. */
export async function readFrom<T>(
  from: ReadsFrom,
  request: FastifyRequest,
  reply: FastifyReply,
  handler: (sql: Sql) => Promise<T>,
): Promise<T> {
  const { database } = request.server.services;
  const sql = from === 'replica' ? database.laggingReads(Number(cookieOf(request, positionName)) || 0) : database.pool;
  if (!(sql instanceof ReplicaReads)) return handler(sql);
  try {
    const result = await handler(sql);
    if (sql.lagSeconds !== undefined) reply.header(lagHeader, sql.lagSeconds);
    return result;
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    // The primary decides: the caller may have created the requested location a moment ago.
    return handler(database.pool);
  }
}

/** Stores the position of each write of a console session in a cookie until every usable replica has replayed it. */
export function rememberWrites(server: FastifyInstance): void {
  const { database, config } = server.services;
  if (!database.replica) return;
  const maxAge = Math.ceil(config.databaseReadMaxLagMs / 1000) + 1;
  server.addHook('onSend', async (request, reply) => {
    if (safeMethods.has(request.method) || sessionCookieOf(request) === undefined) return;
    // The response must not wait for a database that is not available.
    if (reply.statusCode >= 500) return;
    const position = await currentPosition(database.pool).catch(() => undefined);
    if (position === undefined) return;
    reply.header('set-cookie', `${positionName}=${position}; ${cookieAttributes(request)}; Max-Age=${maxAge}`);
  });
}
