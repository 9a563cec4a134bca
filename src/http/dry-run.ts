import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Database } from '../database/connection.ts';
import type { Transaction } from '../database/transaction.ts';
import { idempotentTransaction } from './idempotency.ts';

/** Query parameter or body field of imports and bulk operations. */
export const dryRun = Type.Optional(
  Type.Boolean({ description: 'Set to true to validate the request without writing anything' }),
);

export function isDryRun({ query, body }: Pick<FastifyRequest, 'query' | 'body'>): boolean {
  return [query, body].some((part) => (part as { dryRun?: boolean } | null | undefined)?.dryRun === true);
}

/** Runs the work in a transaction, which a dry run rolls back. */
export async function writeTransaction<T>(
  request: FastifyRequest,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const { database } = request.server.services;
  if (!isDryRun(request))
    return request.method === 'POST' ? idempotentTransaction(request, work) : database.transaction(work);
  const result = await runAndRollBack(database, work);
  request.warnings.push('Dry run: nothing was written.');
  return result;
}

class Rollback extends Error {}

async function runAndRollBack<T>(database: Database, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  let result: { value: T } | undefined;
  try {
    await database.transaction(async (transaction) => {
      result = { value: await work(transaction) };
      throw new Rollback();
    });
  } catch (error) {
    if (error instanceof Rollback && result) return result.value;
    throw error;
  }
  throw new Error('The dry run has no result.');
}
