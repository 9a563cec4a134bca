import { Database } from '../../database/connection.ts';

/**
 * Connections for the hot statements. The queue is empty one moment and a million rows long the next, so plans made by
 * looking at its size go wrong; these always walk the index. A lease that a crash forgets is one that ends early, and a
 * settlement that it forgets is a delivery made twice, which receivers must expect: neither needs to wait for the disk.
 */
export function openQueueDatabase(url: string): Database {
  return new Database(url, {
    connections: 4,
    name: 'waypost delivery',
    statementLimit: 'delivery',
    settings: {
      enable_seqscan: 'off',
      enable_hashjoin: 'off',
      enable_mergejoin: 'off',
      plan_cache_mode: 'force_generic_plan',
      synchronous_commit: 'off',
    },
  });
}
