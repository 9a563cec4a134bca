import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { defineJob, type JobContext, type JobImplementation } from '../../../jobs/job.ts';
import { barrier, isTransient, type Step, TaskFailure, taskJob } from '../../../jobs/tasks/task-job.ts';
import { findTaskById, listRunningTasks, type RunningTask } from '../../../jobs/tasks/task-store.ts';
import type { FieldError } from '../../../problems.ts';
import type { Actor } from '../../accounts/index.ts';
import { oneLine } from '../field-checks.ts';
import type { LocationPatch } from '../location.ts';
import { businessNotFound, knownBusinesses } from '../references.ts';
import { type Upserted, upsertLocations } from '../upsert-locations.ts';
import { type CsvRecord, CsvRecords, type FilePosition, readFields } from './csv-records.ts';
import { filledRows, maxRecordBytes } from './csv-screening.ts';
import { readHeader } from './location-columns.ts';
import {
  type ImportError,
  type ImportParameters,
  importActor,
  importJob,
  importType,
  insertImportErrors,
  maxReportedLength,
  maxReportedRows,
  noCounts,
  parametersOf,
} from './location-import.ts';
import { inColumns, type LocationRow, readRow } from './location-row.ts';
import { removeAbandonedFiles, removeFile, uploadFolder } from './uploaded-file.ts';

// Rows per transaction: large enough to amortize the commit, small enough to cancel within a second.
const batchSize = 1000;
// Limits the memory for long rows.
const maxBatchBytes = 4 * 2 ** 20;
const readBufferBytes = 256 * 1024;

interface Batch {
  records: CsvRecord[];
  next: FilePosition;
}

/** Reads the rows of a file in batches, starting at a position. */
async function* readBatches(
  { path, delimiter, header }: Pick<ImportParameters, 'path' | 'delimiter' | 'header'>,
  from: FilePosition,
): AsyncGenerator<Batch> {
  const stream = createReadStream(path, { start: from.offset, highWaterMark: readBufferBytes });
  const splitter = new CsvRecords(delimiter, { from, maxBytes: maxRecordBytes });
  let records: CsvRecord[] = [];
  let bytes = 0;
  const add = function* (found: Iterable<CsvRecord>): Generator<Batch> {
    for (const record of found) {
      records.push(...filledRows(record, delimiter, header.length));
      bytes += record.bytes.length;
      if (records.length < batchSize && bytes < maxBatchBytes) continue;
      yield { records, next: record.next };
      records = [];
      bytes = 0;
    }
  };
  for await (const chunk of stream) yield* add(splitter.push(chunk));
  yield* add(splitter.end());
  const last = records.at(-1);
  if (last) yield { records, next: last.next };
}

/** Writes the valid rows of a batch. Returns the counts and the errors of the invalid rows. */
async function importRows(
  transaction: Transaction,
  actor: Actor,
  records: readonly CsvRecord[],
  rows: readonly LocationRow[],
  onFault: (error: unknown) => void,
) {
  const valid = rows.flatMap((row) => ('errors' in row ? [] : [row]));
  const inputs = valid.map(({ input }) => input);
  const withDefault = new Set(valid.filter((row) => row.hasDefaultBusiness).map(({ input }) => input));
  const upserted = (await upsertRows(transaction, actor, inputs, withDefault, onFault)).values();
  const counts = { ...noCounts };
  const failed: FailedRow[] = [];
  for (const [index, row] of rows.entries()) {
    const outcome = 'errors' in row ? row : (upserted.next().value as Upserted);
    if ('outcome' in outcome) {
      counts[outcome.outcome] += 1;
      continue;
    }
    const errors = 'errors' in row ? row.errors : inColumns(outcome.errors, row.input);
    failed.push({ record: records[index] as CsvRecord, errors, input: row.input });
  }
  return { counts, errors: await importErrors(transaction, actor, failed), failedRows: failed.length };
}

interface FailedRow {
  record: CsvRecord;
  errors: readonly FieldError[];
  input: LocationPatch | undefined;
}

/** Errors of the failed rows. Rows rejected before the business lookup also get the error for an unknown business. */
async function importErrors(sql: Sql, actor: Actor, failed: readonly FailedRow[]): Promise<ImportError[]> {
  const businessIds = new Set(
    failed.map(({ input }) => input?.businessId ?? 0).filter((id) => Number.isSafeInteger(id) && id > 0),
  );
  const known = await knownBusinesses(sql, actor, businessIds);
  return failed.flatMap(({ record, errors, input }) => {
    const { businessId, identifier } = input ?? {};
    const isUnknown = businessIds.has(businessId ?? 0) && !known.has(businessId ?? 0);
    const isReported = errors.some(({ field }) => field === 'businessId');
    const allErrors = isUnknown && !isReported ? [...errors, businessNotFound(businessId ?? 0)] : errors;
    return errorsOf(record, allErrors, typeof identifier === 'string' ? identifier : null);
  });
}

const maxErrorsPerRow = 20;

function errorsOf({ line, bytes }: CsvRecord, errors: readonly FieldError[], given: string | null): ImportError[] {
  const identifier = given && storable(given);
  const row = storable(bytes.toString());
  const listed = errors.length > maxErrorsPerRow ? errors.slice(0, maxErrorsPerRow - 1) : errors;
  const more = { field: 'row', message: `${errors.length - listed.length} more errors of this row are not listed.` };
  return [...listed, ...(listed === errors ? [] : [more])].map(({ field, message }) => ({
    line,
    field,
    message: storable(message),
    identifier,
    row,
  }));
}

/** PostgreSQL text cannot contain NUL. Every error of a row has a copy of the row, so it is shortened. */
function storable(text: string): string {
  const short = text.length > maxReportedLength ? `${text.slice(0, maxReportedLength)}…` : text;
  return short.replaceAll('\0', '\uFFFD');
}

/** If the batch fails with an internal error, writes each row separately, so that only failing rows are rejected. */
async function upsertRows(
  transaction: Transaction,
  actor: Actor,
  inputs: readonly LocationPatch[],
  withDefault: ReadonlySet<LocationPatch>,
  onFault: (error: unknown) => void,
): Promise<Upserted[]> {
  if (inputs.length === 0) return [];
  await transaction.query('savepoint rows');
  try {
    return await upsertLocations(transaction, actor, 'CSV_UPLOAD', inputs, withDefault);
  } catch (error) {
    if (isTransient(error)) throw error;
    await transaction.query('rollback to savepoint rows');
    if (inputs.length === 1) {
      onFault(error);
      return [{ errors: [internalError] }];
    }
  }
  const upserted: Upserted[] = [];
  for (const input of inputs) upserted.push(...(await upsertRows(transaction, actor, [input], withDefault, onFault)));
  return upserted;
}

const internalError: FieldError = {
  field: 'row',
  rule: 'fault',
  message: 'The row could not be stored because of an internal error. Upload it again later.',
};

/** Identifiers and names by which the rows of a batch match locations. */
interface BatchKeys {
  identifiers: Set<string>;
  names: Set<string>;
  /** Names of rows without an identifier, which are matched by name and address. */
  namesWithoutIdentifier: Set<string>;
}

export function keysOf(rows: readonly LocationRow[]): BatchKeys {
  const keys: BatchKeys = { identifiers: new Set(), names: new Set(), namesWithoutIdentifier: new Set() };
  for (const row of rows) {
    if (!('input' in row)) continue;
    const { identifier, name } = row.input;
    const normalizedName = oneLine(name ?? '').toLowerCase();
    keys.names.add(normalizedName);
    if (identifier) keys.identifiers.add(oneLine(identifier).toLowerCase());
    else keys.namesWithoutIdentifier.add(normalizedName);
  }
  return keys;
}

/** Whether the batches may match the same location. Ignores addresses, so false positives are possible. */
export const mayOverlap = (a: BatchKeys, b: BatchKeys): boolean =>
  !a.identifiers.isDisjointFrom(b.identifiers) ||
  !a.namesWithoutIdentifier.isDisjointFrom(b.names) ||
  !a.names.isDisjointFrom(b.namesWithoutIdentifier);

const abandonedAfterHours = 24;

/** Imports a file in batches; each is committed with its file position. Overlapping batches run one after the other. */
async function* steps(task: RunningTask, { database, log }: JobContext): AsyncGenerator<Step | typeof barrier> {
  const parameters = parametersOf(task);
  const { path, delimiter, businessId } = parameters;
  await access(path).catch(() => {
    throw new TaskFailure(
      'The uploaded file was not found. Upload it again. With several machines, WAYPOST_DATA_DIR must be a shared folder.',
    );
  });
  const header = readHeader(parameters.header, { hasBusiness: businessId !== undefined });
  const defaults = businessId === undefined ? {} : { businessId };
  const actor = importActor(task);
  const onFault = (err: unknown) => log.error({ event: 'location-import.row-failed', taskId: task.id, err });
  const from = (task.position as FilePosition | null) ?? parameters.firstRow;
  let before: BatchKeys | undefined;
  for await (const { records, next } of readBatches(parameters, from)) {
    const rows = readFields(records, delimiter).map((fields) => readRow(fields, header, defaults));
    const keys = keysOf(rows);
    if (before && mayOverlap(before, keys)) yield barrier;
    before = keys;
    yield async (transaction) => {
      if (parameters.dryRun) await transaction.query('savepoint dry_run');
      const { errors, failedRows, counts } = await importRows(transaction, actor, records, rows, onFault);
      if (parameters.dryRun) await transaction.query('rollback to savepoint dry_run');
      // Without those of the batch that is written concurrently.
      const { failed: reported = 0 } = (await findTaskById(transaction, task.id)) ?? {};
      if (reported < maxReportedRows) await insertImportErrors(transaction, task.id, errors);
      return { position: next, done: records.length - failedRows, failed: failedRows, counts };
    };
  }
  yield barrier;
  const { done = 0, failed = 0 } = (await findTaskById(database.pool, task.id)) ?? {};
  if (done === 0 && failed > 0) {
    throw new TaskFailure('No rows were imported. Correct the rows in the error report and upload the file again.');
  }
}

const runImport = taskJob({
  job: importJob,
  steps,
  // The next batch is read and validated while the database writes the current one.
  concurrency: 2,
  afterEnd: (task) => removeFile(parametersOf(task).path),
});

const sweepUploads = defineJob('location-imports.sweep', { schedule: '41 * * * *' }).implement(async (_, context) => {
  const { config, database, log } = context;
  const underWay = await listRunningTasks(database.pool, importType);
  const needed = new Set(underWay.map((task) => resolve(parametersOf(task).path)));
  const before = new Date(Date.now() - abandonedAfterHours * 3_600_000);
  const isNeeded = (path: string) => needed.has(resolve(path));
  const removed = await removeAbandonedFiles(uploadFolder(config.dataDir), isNeeded, before);
  if (removed > 0) log.info({ event: 'uploads.swept', removed });
});

export const locationImportJobs: readonly JobImplementation[] = [runImport, sweepUploads];
