import { Database } from '../../database/connection.ts';

/**
 * Connections for the hot statements. The queue size changes too fast for statistics, so plans always use the index.
 * A lease or settlement lost in a server crash causes at most a second delivery, so commits do not wait for the disk.
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
