import type { Logger } from 'pino';
import type { Database, Sql } from '../../database/connection.ts';
import { type Sealer, UnknownMasterKey } from '../../events/signing/sealer.ts';
import type { JobImplementation } from '../../jobs/job.ts';
import { readRegistry, resealJob } from './key-registry.ts';
import { type SealedColumn, type SealedValue, sealedColumns } from './sealed-columns.ts';

export interface ResealResult {
  resealed: number;
  /** Values that changed while they were re-sealed. */
  changed: number;
  /** Number of values that cannot be opened, by the fingerprint of the missing key, or by `damaged`. */
  failed: Record<string, number>;
  /** False if the signal was aborted before the end. */
  isFinished: boolean;
}

/**
 * Re-seals all values that are not sealed with the current key. Progress is not stored: after an interruption, the next
 * run finds the remaining values. Rows are updated one at a time, so that no lock is held longer than one statement.
 */
export async function reseal(
  sql: Sql,
  sealer: Sealer,
  { signal, onProgress }: { signal?: AbortSignal; onProgress?: (resealed: number) => void } = {},
): Promise<ResealResult> {
  const result: ResealResult = { resealed: 0, changed: 0, failed: {}, isFinished: false };
  for (const column of sealedColumns) {
    let after = column.firstKey;
    for (;;) {
      const values = await column.findOthers(sql, sealer, after);
      for (const value of values) {
        if (signal?.aborted) return result;
        await resealValue(sql, sealer, column, value, result);
      }
      const last = values.at(-1);
      if (!last) break;
      after = last.rowKey;
      onProgress?.(result.resealed);
    }
  }
  return { ...result, isFinished: true };
}

async function resealValue(sql: Sql, sealer: Sealer, column: SealedColumn, value: SealedValue, result: ResealResult) {
  let replacement: Buffer;
  try {
    replacement = column.reseal(sealer, value.sealed);
  } catch (error) {
    const reason = error instanceof UnknownMasterKey ? error.fingerprint : 'damaged';
    result.failed[reason] = (result.failed[reason] ?? 0) + 1;
    return;
  }
  if (await column.replace(sql, value, replacement)) result.resealed++;
  else result.changed++;
}

declare module '../../jobs/job.ts' {
  interface JobContext {
    sealer: Sealer;
  }
}

/** Jobs must end within a minute; the rest is left to the next job. */
const maxRunMs = 30_000;
const repeatSeconds = 10;

export const masterKeyJob: JobImplementation = resealJob.implement((_, { database, sealer, log, signal }) =>
  resealInBackground(database, sealer, log, signal),
);

async function resealInBackground(database: Database, sealer: Sealer, log: Logger, signal: AbortSignal) {
  const { current, former } = await readRegistry(database.pool);
  if (former.length === 0) return;
  if (current !== sealer.current.fingerprint) {
    // This process still seals with a former key. Another one can run the job.
    await resealJob.enqueue(database.pool, {}, { delaySeconds: 60 });
    return;
  }
  const limited = AbortSignal.any([signal, AbortSignal.timeout(maxRunMs)]);
  const result = await reseal(database.pool, sealer, { signal: limited });
  const { resealed, changed, failed, isFinished } = result;
  if (Object.keys(failed).length > 0) log.error({ event: 'master-keys.reseal-failed', failed });
  if (resealed > 0) log.info({ event: 'master-keys.resealed', resealed, key: current });
  // Values may be copied during a run, so runs are repeated until one finds no value to re-seal.
  if (!isFinished || changed > 0 || resealed > 0)
    await resealJob.enqueue(database.pool, {}, { delaySeconds: isFinished ? repeatSeconds : 0 });
}
