import type { Logger } from 'pino';
import { lastCell } from '../config/settings.ts';
import type { Database, Sql } from './connection.ts';
import { DatabaseProblem } from './faults.ts';
import { defineStatement, run } from './statement.ts';
import { lockName, type Transaction } from './transaction.ts';

/** 2^45. A start skips 10,000 ids for each second since the last checkpoint: at this rate they last for 111 years. */
const idsPerCell = 2 ** 53 / (lastCell + 1);

/** The cell that issued the id. */
export const cellOfId = (id: number): number => Math.floor(id / idsPerCell);

const firstIdOf = (cell: number): number => cell * idsPerCell;
const lastIdOf = (cell: number): number => firstIdOf(cell + 1) - 1;

/** Condition of the rows of `pg_sequences` that issue ids. */
const idSequences = `schemaname = current_schema() and data_type = 'bigint'::regtype and not cycle`;

const knownCell = defineStatement<{ cell: number }>({
  name: 'cell-of-database',
  text: 'select cell from id_checkpoint',
  columns: { cell: 'int4' },
});

/** The cell that the database was created for; 0 before its first start. */
export async function cellOf(sql: Sql): Promise<number> {
  const [known] = await run(sql, knownCell);
  return known?.cell ?? 0;
}

/** Only a database that has issued no id can become a cell other than 0. */
const becomeCell = defineStatement({
  name: 'become-cell',
  text: `insert into id_checkpoint (database_identity, server_started_at, event_id, taken_at, cell)
         select database_identity(), pg_postmaster_start_time(), $2::bigint, clock_timestamp(), $1
         where not exists (select from pg_sequences where ${idSequences} and last_value is not null)
         on conflict do nothing`,
});

/** Runs at every start before ids are issued. Throws if the database was created for another cell. */
export async function claimCell(database: Database, cell: number): Promise<void> {
  await database.transaction(async (transaction) => {
    if (cell > 0) {
      // One process at a time: an id that another process has issued must not be issued again.
      await lockName(transaction, 'cell');
      await run(transaction, becomeCell, [cell, firstIdOf(cell)]);
    }
    const owner = await cellOf(transaction);
    if (owner !== cell) throw new DatabaseProblem(otherCell(owner, cell));
    if (cell > 0) await moveSequences(transaction, cell);
  });
}

export const otherCell = (owner: number, cell: number): string =>
  `The database was created for cell ${owner}, and WAYPOST_CELL is ${cell}. Set WAYPOST_CELL to ${owner}, or use the ` +
  `database of cell ${cell} (DATABASE_URL or WAYPOST_DATA_DIR).${cell > 0 ? ' A new cell needs an empty database.' : ''}`;

const cellState = defineStatement<{ cell: number; lastId: number | null }>({
  name: 'cell-state',
  text: `select cell, (select max(last_value) from pg_sequences where ${idSequences}) as last_id from id_checkpoint`,
  columns: { cell: 'int4', lastId: 'int8' },
});

/** `usedShare` is the share of its ids that the cell has issued. Undefined before the first start. */
export async function readCellState(sql: Sql): Promise<{ cell: number; usedShare: number } | undefined> {
  const [state] = await run(sql, cellState);
  if (!state) return undefined;
  const { cell, lastId } = state;
  return { cell, usedShare: Math.max(0, (lastId ?? 0) - firstIdOf(cell)) / idsPerCell };
}

const sequencesToMove = defineStatement<{ name: string; lastValue: number }>({
  name: 'sequences-of-other-cells',
  text: `select format('%I.%I', schemaname, sequencename) as name, coalesce(last_value, 0) as last_value
         from pg_sequences
         where ${idSequences} and max_value <> $1::bigint`,
  columns: { name: 'text', lastValue: 'int8' },
});

/** Moves sequences of a new database and of new migrations. Their maximum is the last id of the cell. */
async function moveSequences(transaction: Transaction, cell: number): Promise<void> {
  const last = lastIdOf(cell);
  for (const { name, lastValue } of await run(transaction, sequencesToMove, [last])) {
    await transaction.query(`alter sequence ${name} maxvalue ${last}`);
    if (lastValue < firstIdOf(cell)) await transaction.query('select setval($1, $2)', [name, firstIdOf(cell)]);
  }
}

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
