import type { Logger } from 'pino';
import type { Database, Sql } from './connection.ts';

type Advance = 'RESTORED' | 'RESTARTED' | null;

/**
 * Keeps ids from being issued twice after a restore or a failover: the sequences jump ahead before this process, or a
 * connection that it opens later, records anything.
 */
export async function guardIssuedIds(database: Database, log: Logger): Promise<void> {
  const advance = async (sql: Sql, atProcessStart: boolean): Promise<void> => {
    const { rows } = await sql.query<{ advance: Advance }>('select advance_issued_ids($1) as advance', [
      atProcessStart,
    ]);
    if (rows[0]?.advance === 'RESTORED') {
      log.warn(
        { event: 'database.restored' },
        'The database was restored or has failed over since it was last used: new ids continue after a gap',
      );
    }
  };
  await advance(database.pool, true);
  database.onConnect = (client) => advance(client, false);
}

/** To be called about once a minute: the jump at the next start grows with the age of the checkpoint. */
export async function saveIdCheckpoint(sql: Sql): Promise<void> {
  await sql.query('select take_id_checkpoint()');
}
