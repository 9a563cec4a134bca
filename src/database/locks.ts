import { defineStatement, run } from './statement.ts';
import type { Transaction } from './transaction.ts';

const statements = {
  exclusive: defineStatement({
    name: 'lock-name',
    text: 'select from pg_advisory_xact_lock(hashtextextended($1, 0))',
  }),
  shared: defineStatement({
    name: 'lock-name-shared',
    text: 'select from pg_advisory_xact_lock_shared(hashtextextended($1, 0))',
  }),
};

/** Waits for the lock with this name. The transaction holds it until it ends. Locks are granted in order of request. */
export async function lockName(
  transaction: Transaction,
  name: string,
  mode: keyof typeof statements = 'exclusive',
): Promise<void> {
  await run(transaction, statements[mode], [name]);
}
