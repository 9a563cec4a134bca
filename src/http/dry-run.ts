import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Database } from '../database/connection.ts';
import type { Transaction } from '../database/transaction.ts';
import { idempotentTransaction } from './idempotency.ts';

/** Of imports and calls about many records, in the query or in the body. */
export const dryRun = Type.Optional(Type.Boolean({ description: 'true validates everything and writes nothing' }));

/** Whether the request asks for one. */
export function isDryRun({ query, body }: Pick<FastifyRequest, 'query' | 'body'>): boolean {
  return [query, body].some((part) => (part as { dryRun?: boolean } | null | undefined)?.dryRun === true);
}

/** Runs the work of a call in a transaction; that of a dry run is rolled back. */
export async function writeTransaction<T>(
  request: FastifyRequest,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const { database } = request.server.services;
  if (!isDryRun(request))
    return request.method === 'POST' ? idempotentTransaction(request, work) : database.transaction(work);
  const answer = await rehearse(database, work);
  request.warnings.push('This was a dry run: nothing was written.');
  return answer;
}

class RolledBack extends Error {}

/** Runs the work in a transaction and rolls it back. */
async function rehearse<T>(database: Database, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  let result: { value: T } | undefined;
  try {
    await database.transaction(async (transaction) => {
      result = { value: await work(transaction) };
      throw new RolledBack();
    });
  } catch (error) {
    if (error instanceof RolledBack && result) return result.value;
    throw error;
  }
  throw new Error('The dry run has no result.');
}
