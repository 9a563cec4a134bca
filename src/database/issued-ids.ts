import type { Logger } from 'pino';
import type { Database, Sql } from './connection.ts';
import { defineStatement, run } from './statement.ts';

const advanceIds = defineStatement<{ advance: 'RESTORED' | 'RESTARTED' | null }>({
  name: 'advance-issued-ids',
  text: 'select advance_issued_ids($1) as advance',
  columns: { advance: 'text' },
});

/** Prevents duplicate ids after a restore or failover: sequences skip ahead before a new connection is used. */
export async function guardIssuedIds(database: Database, log: Logger): Promise<void> {
  const advance = async (sql: Sql, atProcessStart: boolean): Promise<void> => {
    const [row] = await run(sql, advanceIds, [atProcessStart]);
    if (row?.advance === 'RESTORED') {
      log.warn(
        { event: 'database.restored' },
        'The database was restored or failed over: new ids continue after a gap',
      );
    }
  };
  await advance(database.pool, true);
  database.onConnect = (client) => advance(client, false);
}

/** Runs about once a minute: the gap at the next start grows with the age of the checkpoint. */
export async function saveIdCheckpoint(sql: Sql): Promise<void> {
  await sql.query('select take_id_checkpoint()');
}
