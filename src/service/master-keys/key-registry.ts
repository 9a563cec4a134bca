import { ConfigurationProblem } from '../../config.ts';
import type { Database, Sql } from '../../database/connection.ts';
import { LastingConnection } from '../../database/lasting-connection.ts';
import { db } from '../../database/query-builder.ts';
import { defineStatement, run } from '../../database/statement.ts';
import { lockName, type Transaction } from '../../database/transaction.ts';
import { Sealer } from '../../events/signing/sealer.ts';
import { defineJob } from '../../jobs/job.ts';
import { addValue, setValue } from '../installation.ts';
import { createMasterKey, findMasterKeys, type KeySettings } from './key-source.ts';
import { countSealedValues } from './sealed-columns.ts';

// Names in `installation`. Releases without key rotation know only the first one.
const currentName = 'master-key';
const unmarkedName = 'unmarked-master-key';
const formerPrefix = 'former-master-key:';

/** The fingerprints of the master keys that have sealed values in the database. */
interface KeyRegistry {
  /** The newest key; undefined before the first start. */
  current: string | undefined;
  /** Keys that may still have values. */
  former: string[];
  /** The key of values without a mark: the first one of the installation. */
  unmarked: string | undefined;
}

export async function readRegistry(sql: Sql): Promise<KeyRegistry> {
  const rows = await db(sql).selectFrom('installation').select(['name', 'value']).orderBy('name').execute();
  const values = new Map(rows.map(({ name, value }) => [name, value]));
  const current = values.get(currentName);
  return {
    current,
    unmarked: values.get(unmarkedName) ?? current,
    former: rows.flatMap(({ name }) => (name.startsWith(formerPrefix) ? name.slice(formerPrefix.length) : [])),
  };
}

/** After the start with a new key, and regularly, because other processes may still use the former key. */
export const resealJob = defineJob('master-keys.reseal', {
  key: () => 'master-keys.reseal',
  queue: 'master-keys.reseal',
  schedule: '23 * * * *',
});

/**
 * Opens values of the configured keys, or of the keys in the data folder. The database may use no other key. `show` is
 * called before the keys are registered: of two processes that start at the same time, one then finds the other.
 */
export async function openSealer(
  settings: KeySettings,
  database: Database,
  show?: (sealer: Sealer) => Promise<void>,
): Promise<Sealer> {
  const sealer = await loadSealer(settings, database.pool);
  await show?.(sealer);
  await registerKeys(database, sealer);
  return sealer;
}

/** Creates the master key before the first start. */
async function loadSealer(settings: KeySettings, sql: Sql): Promise<Sealer> {
  const { current, unmarked } = await readRegistry(sql);
  const keys = await findMasterKeys(settings);
  // A new key could not decrypt existing data.
  if (!keys && current !== undefined) throw missingKey(current);
  return sealerOf(keys ?? (await createMasterKey(settings.dataDir)), unmarked);
}

export const sealerOf = ([current, ...others]: readonly Buffer[], unmarked: string | undefined): Sealer =>
  new Sealer(current as Buffer, { others, ...(unmarked !== undefined && { unmarked }) });

/** Detects a missing key at the start instead of at the first delivery, and registers a new current key. */
async function registerKeys(database: Database, sealer: Sealer): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockRegistry(transaction);
    const missing = await findMissingKeys(transaction, sealer);
    for (const { fingerprint, values, processes } of missing) {
      if (values > 0) throw missingKey(fingerprint, values);
      if (processes > 0) throw stillUsed(fingerprint, processes);
    }
    await forgetKeys(
      transaction,
      missing.map(({ fingerprint }) => fingerprint),
    );
    const { current, former } = await readRegistry(transaction);
    const { fingerprint } = sealer.current;
    if (current !== fingerprint && !former.includes(fingerprint)) await setCurrentKey(transaction, fingerprint);
    const isRotating = (await readRegistry(transaction)).former.length > 0;
    if (isRotating) await resealJob.enqueue(transaction, {});
  });
}

/** Serializes changes of the registry and of master.key. */
export const lockRegistry = (transaction: Transaction): Promise<void> => lockName(transaction, 'master keys');

/** The registered keys that this process does not have. */
async function findMissingKeys(sql: Sql, sealer: Sealer): Promise<KeyUse[]> {
  const { current, former } = await readRegistry(sql);
  const registered = current === undefined ? [] : [current, ...former];
  // Without a missing key, no values are counted.
  if (registered.every((fingerprint) => sealer.fingerprints.includes(fingerprint))) return [];
  const uses = await readKeyUses(sql, sealer);
  return uses.filter(({ fingerprint, isKnown }) => !isKnown && registered.includes(fingerprint));
}

/** A key that is known to this process, registered, or has values in the database. */
export interface KeyUse {
  fingerprint: string;
  /** Whether this process has the key. */
  isKnown: boolean;
  values: number;
  /** Running processes that encrypt with it. */
  processes: number;
}

export async function readKeyUses(sql: Sql, sealer: Sealer): Promise<KeyUse[]> {
  const { current, former } = await readRegistry(sql);
  const counts = await countSealedValues(sql, sealer.unmarked);
  const registered = current === undefined ? [] : [current, ...former];
  const fingerprints = [...new Set([...sealer.fingerprints, ...registered, ...counts.keys()])];
  const uses: KeyUse[] = [];
  for (const fingerprint of fingerprints) {
    uses.push({
      fingerprint,
      isKnown: sealer.fingerprints.includes(fingerprint),
      values: counts.get(fingerprint) ?? 0,
      processes: await processesSealingWith(sql, fingerprint),
    });
  }
  return uses;
}

/** The keys must have no values. Values without a mark keep their meaning. */
export async function forgetKeys(sql: Sql, fingerprints: readonly string[]): Promise<void> {
  const { current } = await readRegistry(sql);
  if (current !== undefined && fingerprints.includes(current)) await addValue(sql, unmarkedName, current);
  for (const fingerprint of fingerprints) {
    await db(sql)
      .deleteFrom('installation')
      .where(({ eb, or, and }) =>
        or([
          eb('name', '=', formerPrefix + fingerprint),
          and([eb('name', '=', currentName), eb('value', '=', fingerprint)]),
        ]),
      )
      .execute();
  }
}

/** The former key stays registered until it has no values. All running processes must have the new key. */
export async function setCurrentKey(transaction: Transaction, fingerprint: string): Promise<void> {
  const { current } = await readRegistry(transaction);
  const without = await processesWithoutKey(transaction, fingerprint);
  if (without > 0) throw notEverywhere(fingerprint, without);
  if (current !== undefined && current !== fingerprint) {
    await addValue(transaction, unmarkedName, current);
    await addValue(transaction, formerPrefix + current, new Date().toISOString());
  }
  await db(transaction)
    .deleteFrom('installation')
    .where('name', '=', formerPrefix + fingerprint)
    .execute();
  await setValue(transaction, currentName, fingerprint);
}

const missingKey = (fingerprint: string, values?: number) =>
  new ConfigurationProblem(
    `The master key with the fingerprint ${fingerprint} is missing. ` +
      (values === undefined ? '' : `${values} values in this database are encrypted with it. `) +
      'Set WAYPOST_MASTER_KEY to this key, or add it after the current key, or restore its file master.key in the data ' +
      'folder.',
  );

const stillUsed = (fingerprint: string, processes: number) =>
  new ConfigurationProblem(
    `The master key with the fingerprint ${fingerprint} is missing, and ${processes} running processes encrypt with it. ` +
      'Restart them with the new key before you remove the former one.',
  );

const notEverywhere = (fingerprint: string, processes: number) =>
  new ConfigurationProblem(
    `${processes} running processes do not have the master key with the fingerprint ${fingerprint} and could not read ` +
      'values that it encrypts. Add it after their current key and restart them first, or stop them.',
  );

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
const processesWithoutKey = (sql: Sql, fingerprint: string): Promise<number> =>
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
