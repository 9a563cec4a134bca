import type { Sql } from '../../database/connection.ts';
import { LastingConnection } from '../../database/lasting-connection.ts';
import { defineStatement, run } from '../../database/statement.ts';
import type { Sealer } from '../../events/signing/sealer.ts';

/** First keys of advisory locks; the second key is the start of a fingerprint. */
const knownLock = 7_305_513;
const sealingLock = 7_305_514;

/**
 * Shows other processes which master keys this one has, by shared advisory locks. A new key is used only if all running
 * processes have it.
 */
export async function showMasterKeys(
  url: string,
  { current, fingerprints }: Pick<Sealer, 'current' | 'fingerprints'>,
): Promise<LastingConnection> {
  const locks = [
    ...fingerprints.map((fingerprint) => [knownLock, lockKey(fingerprint)]),
    [sealingLock, lockKey(current.fingerprint)],
  ];
  const connection = new LastingConnection(url, 'waypost keys', async (client) => {
    for (const lock of locks) await run(client, lockStatement, lock);
  });
  await connection.open();
  return connection;
}

/** 31 bits of a fingerprint. */
const lockKey = (fingerprint: string) => Number.parseInt(fingerprint.slice(0, 8), 16) >>> 1;

/** The number of running processes that do not have this key. */
export const processesWithoutKey = (sql: Sql, fingerprint: string): Promise<number> =>
  countProcesses(sql, withoutKeyStatement, [knownLock, lockKey(fingerprint)]);

/** The number of running processes whose current key is this one. */
export const processesSealingWith = (sql: Sql, fingerprint: string): Promise<number> =>
  countProcesses(sql, sealingStatement, [sealingLock, lockKey(fingerprint)]);

async function countProcesses(sql: Sql, statement: typeof sealingStatement, values: number[]): Promise<number> {
  const [row] = await run(sql, statement, values);
  return Number(row?.processes ?? 0);
}

const lockStatement = defineStatement({
  name: 'show-master-key',
  text: 'select from pg_advisory_lock_shared($1, $2)',
});

const heldLocks = `
  select pid, objid from pg_locks
  where locktype = 'advisory' and granted and classid = $1::oid and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())`;

const withoutKeyStatement = defineStatement<{ processes: number }>({
  name: 'count-processes-without-master-key',
  text: `with held as (${heldLocks})
         select count(distinct pid) as processes from held
         where not exists (select from held as other where other.pid = held.pid and other.objid = $2::oid)`,
  columns: { processes: 'int8' },
});

const sealingStatement = defineStatement<{ processes: number }>({
  name: 'count-processes-with-master-key',
  text: `with held as (${heldLocks}) select count(distinct pid) as processes from held where objid = $2::oid`,
  columns: { processes: 'int8' },
});
