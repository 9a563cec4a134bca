import { createReadStream } from 'node:fs';
import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { isTransient } from '../../../jobs/tasks/task-job.ts';
import type { FieldError } from '../../../problems.ts';
import type { Actor } from '../../accounts/index.ts';
import type { LocationPatch } from '../location.ts';
import { businessNotFound, knownBusinesses } from '../references.ts';
import { type Upserted, upsertLocations } from '../upsert-locations.ts';
import { type CsvRecord, CsvRecords, type FilePosition, readFields } from './csv-records.ts';
import { isBlank, maxRecordBytes } from './csv-screening.ts';
import type { LocationHeader } from './location-columns.ts';
import type { ImportCounts, ImportError, ImportParameters } from './location-import.ts';
import { inColumns, type LocationRow, readRow } from './location-row.ts';

// Rows per transaction: large enough to amortize the commit, small enough to cancel within a second.
const batchSize = 1000;
const readAtOnce = 256 * 1024;

interface Batch {
  records: CsvRecord[];
  next: FilePosition;
}

/** Reads the rows of a file in batches, starting at a position. */
export async function* readBatches(
  { path, delimiter }: Pick<ImportParameters, 'path' | 'delimiter'>,
  from: FilePosition,
): AsyncGenerator<Batch> {
  const stream = createReadStream(path, { start: from.offset, highWaterMark: readAtOnce });
  const splitter = new CsvRecords(delimiter, { from, maxBytes: maxRecordBytes });
  let records: CsvRecord[] = [];
  const add = function* (found: Iterable<CsvRecord>): Generator<Batch> {
    for (const record of found) {
      if (isBlank(record, delimiter)) continue;
      records.push(record);
      if (records.length < batchSize) continue;
      yield { records, next: record.next };
      records = [];
    }
  };
  for await (const chunk of stream) yield* add(splitter.push(chunk));
  yield* add(splitter.end());
  const last = records.at(-1);
  if (last) yield { records, next: last.next };
}

interface Imported {
  counts: ImportCounts;
  errors: ImportError[];
  failedRows: number;
}

export function readRows(
  records: readonly CsvRecord[],
  { header, delimiter, businessId }: { header: LocationHeader; delimiter: string; businessId?: number },
): LocationRow[] {
  const defaults = businessId === undefined ? {} : { businessId };
  return readFields(records, delimiter).map((fields) => readRow(fields, header, defaults));
}

/** Writes the valid rows of a batch and returns the errors of the others. */
export async function importRows(
  transaction: Transaction,
  actor: Actor,
  records: readonly CsvRecord[],
  rows: readonly LocationRow[],
): Promise<Imported> {
  const inputs = rows.flatMap((row) => ('errors' in row ? [] : [row.input]));
  const upserted = (await upsertRows(transaction, actor, inputs)).values();
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const failed: FailedRow[] = [];
  for (const [index, row] of rows.entries()) {
    const outcome = 'errors' in row ? row : (upserted.next().value as Upserted);
    if ('outcome' in outcome) {
      counts[outcome.outcome] += 1;
      continue;
    }
    const found = 'errors' in row ? row.errors : inColumns(outcome.errors, row.input);
    failed.push({ record: records[index] as CsvRecord, errors: found, input: row.input });
  }
  return { counts, errors: await withBusinessErrors(transaction, actor, failed), failedRows: failed.length };
}

interface FailedRow {
  record: CsvRecord;
  errors: readonly FieldError[];
  input: LocationPatch | undefined;
}

/** Adds the error for an unknown business to rows that were rejected before the lookup. */
async function withBusinessErrors(sql: Sql, actor: Actor, failed: readonly FailedRow[]): Promise<ImportError[]> {
  const named = new Set(
    failed.map(({ input }) => input?.businessId ?? 0).filter((id) => Number.isSafeInteger(id) && id > 0),
  );
  const known = await knownBusinesses(sql, actor, named);
  return failed.flatMap(({ record, errors, input }) => {
    const { businessId, identifier } = input ?? {};
    const isUnknown = named.has(businessId ?? 0) && !known.has(businessId ?? 0);
    const isReported = errors.some(({ field }) => field === 'businessId');
    const all = isUnknown && !isReported ? [...errors, businessNotFound(businessId ?? 0)] : errors;
    return errorsOf(record, all, typeof identifier === 'string' ? identifier : null);
  });
}

const errorsOf = ({ line, bytes }: CsvRecord, errors: readonly FieldError[], identifier: string | null) =>
  errors.map(({ field, message }) => ({
    line,
    field,
    message,
    identifier: identifier && storable(identifier),
    row: storable(bytes.toString()),
  }));

/** PostgreSQL text cannot contain NUL. */
const storable = (text: string) => text.replaceAll('\0', '\uFFFD');

/** If the batch fails with an internal error, each row is written separately, so that only the failing row is lost. */
async function upsertRows(
  transaction: Transaction,
  actor: Actor,
  inputs: readonly LocationPatch[],
): Promise<Upserted[]> {
  if (inputs.length === 0) return [];
  await transaction.query('savepoint rows');
  try {
    return await upsertLocations(transaction, actor, 'CSV_UPLOAD', inputs);
  } catch (error) {
    if (isTransient(error)) throw error;
    await transaction.query('rollback to savepoint rows');
    if (inputs.length === 1) return [{ errors: [internalError] }];
  }
  const upserted: Upserted[] = [];
  for (const input of inputs) upserted.push(...(await upsertRows(transaction, actor, [input])));
  return upserted;
}

const internalError: FieldError = {
  field: 'row',
  rule: 'fault',
  message: 'The row could not be stored because of an internal error. Upload it again later.',
};

/** Keys by which rows of two batches may match the same location. */
export interface BatchKeys {
  identifiers: Set<string>;
  names: Set<string>;
  /** Names of rows without an identifier, which are matched by name and address. */
  namesOfUnidentified: Set<string>;
}

const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim().toLowerCase();

export function keysOf(rows: readonly LocationRow[]): BatchKeys {
  const keys: BatchKeys = { identifiers: new Set(), names: new Set(), namesOfUnidentified: new Set() };
  for (const row of rows) {
    if (!('input' in row)) continue;
    const { identifier, name } = row.input;
    const spelled = plain(name ?? '');
    keys.names.add(spelled);
    if (identifier) keys.identifiers.add(plain(identifier));
    else keys.namesOfUnidentified.add(spelled);
  }
  return keys;
}

/** Whether the batches may match the same location. May return false positives, never false negatives. */
export const mayOverlap = (one: BatchKeys, other: BatchKeys): boolean =>
  !one.identifiers.isDisjointFrom(other.identifiers) ||
  !one.namesOfUnidentified.isDisjointFrom(other.names) ||
  !one.names.isDisjointFrom(other.namesOfUnidentified);
