import { setTimeout as pause } from 'node:timers/promises';
import { clientSettings, DatabaseClient } from '../../database/client.ts';
import type { Sql } from '../../database/connection.ts';
import { defineStatement, run } from '../../database/statement.ts';
import type { Sealer } from '../../events/signing/sealer.ts';

/** First keys of advisory locks; the second key is the start of a fingerprint. */
const knownLock = 7_305_513;
const sealingLock = 7_305_514;
const reconnectMs = 1000;

/**
 * Shows other processes which master keys this one has, by shared advisory locks, which the server releases when the
 * process ends. A new key is used only if all running processes have it.
 */
export class KeyPresence {
  readonly #url: string;
  readonly #locks: readonly (readonly [number, number])[];
  readonly #leaving = new AbortController();
  #client: DatabaseClient | undefined;

  private constructor(url: string, { current, fingerprints }: Sealer) {
    this.#url = url;
    this.#locks = [
      ...fingerprints.map((fingerprint) => [knownLock, lockKey(fingerprint)] as const),
      [sealingLock, lockKey(current.fingerprint)],
    ];
  }

  static async show(url: string, sealer: Sealer): Promise<KeyPresence> {
    const presence = new KeyPresence(url, sealer);
    await presence.#connect();
    return presence;
  }

  async end(): Promise<void> {
    this.#leaving.abort();
    await this.#client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = new DatabaseClient(clientSettings(this.#url, { name: 'waypost keys', statementLimit: 'delivery' }));
    client.on('error', () => {});
    try {
      await client.connect();
      for (const lock of this.#locks) await run(client, lockStatement, lock);
      this.#leaving.signal.throwIfAborted();
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    this.#client = client;
    client.once('end', () => void this.#reconnect());
  }

  async #reconnect(): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      await pause(reconnectMs, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      const isConnected = await this.#connect().then(
        () => true,
        () => false,
      );
      if (isConnected) return;
    }
  }
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
