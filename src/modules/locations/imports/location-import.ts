import Type, { type Static } from 'typebox';
import type { Grant } from '../../../api/versions/version-change.ts';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countRows } from '../../../database/counting.ts';
import { db, raw } from '../../../database/query-builder.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import type { Transaction } from '../../../database/transaction.ts';
import type { CallerUser, Feature } from '../../../http/access.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import { recordResponse } from '../../../http/record-response.ts';
import { defineJob } from '../../../jobs/job.ts';
import { type Task, taskProgressResponse, taskResponseFields } from '../../../jobs/tasks/task.ts';
import { createTask, taskDefinition } from '../../../jobs/tasks/task-store.ts';
import { type Actor, actorOf } from '../../accounts/index.ts';
import { requireBusiness } from '../../catalog/index.ts';
import { fieldsInGroups, groupOf } from '../location-fields.ts';
import type { FilePosition } from './csv-records.ts';
import { readHeader } from './location-columns.ts';
import type { UploadedFile } from './uploaded-file.ts';

export const importType = 'LOCATION_IMPORT';
// Concurrent imports would not find each other's new locations and would create them twice.
export const importJob = defineJob('location-imports.run', {
  ...taskDefinition,
  queue: ({ partnerId }) => `location-imports-${partnerId}`,
});

/** Stored parameters of the task, so that any process can resume it. */
export interface ImportParameters {
  path: string;
  fileName: string;
  sizeBytes: number;
  delimiter: string;
  header: string[];
  firstRow: FilePosition;
  businessId?: number;
  /** Rows are validated but not written. */
  dryRun?: true;
  warnings: string[];
  partnerIdentifier: string;
  /** The user who uploaded the file, with their reach at that time; absent for a private key. */
  user?: Omit<CallerUser, 'features' | 'fieldGroups'> & { features: Feature[]; locationFields: string[] | null };
  /** Depends on the API version of the upload. */
  createsNoLabels?: true;
}

/** Results of the rows, before the first one. */
export const noCounts = { created: 0, updated: 0, unchanged: 0 };

export const parametersOf = (task: Task) => task.parameters as unknown as ImportParameters;

// Stores fields and not their groups: tasks of older releases have only the fields.
const uploaderOf = ({ features, fieldGroups, ...user }: CallerUser): NonNullable<ImportParameters['user']> => ({
  ...user,
  features: [...features],
  locationFields: fieldGroups && fieldsInGroups(fieldGroups),
});

/** Rows are written as the user who uploaded the file. */
export function importActor(task: Task): Actor {
  const { partnerIdentifier, user, createsNoLabels } = parametersOf(task);
  return {
    partner: { id: task.partnerId, identifier: partnerIdentifier },
    by: task.createdBy,
    // CSV files have no service ids.
    findsServicesByName: true,
    ...(user && {
      user: {
        ...user,
        features: new Set(user.features),
        fieldGroups: user.locationFields && new Set(user.locationFields.flatMap((field) => groupOf(field) ?? [])),
      },
    }),
    ...(createsNoLabels && { createsNoLabels }),
  };
}

/** The errors of further rows are not stored. */
export const maxReportedRows = 50_000;
/** Characters of a row and of a message. */
export const maxReportedLength = 2000;

export const LocationImportResponse = Type.Object({
  ...taskResponseFields,
  fileName: Type.String(),
  dryRun: Type.Boolean({ description: 'Rows are validated but not written; the counts show what an import would do' }),
  sizeBytes: Type.Integer(),
  rows: Type.Integer({ description: 'Number of rows in the file' }),
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer({ description: 'Rows without changes' }),
  failed: Type.Integer({ description: 'Rows with errors, listed by GET /api/location-imports/{id}/errors' }),
  warnings: Type.Array(Type.String()),
});

export function locationImportResponse(task: Task): Static<typeof LocationImportResponse> {
  const { fileName, sizeBytes, dryRun = false, warnings } = parametersOf(task);
  return {
    ...taskProgressResponse(task),
    fileName,
    dryRun,
    sizeBytes,
    rows: task.total ?? 0,
    ...noCounts,
    ...task.result,
    failed: task.failed,
    warnings: task.failed > maxReportedRows ? [...warnings, reportIsIncomplete] : warnings,
  };
}

const reportIsIncomplete = `Errors are listed only for the first rows with errors, at least ${maxReportedRows}. Correct these and upload the file again.`;

export const ImportErrorResponse = Type.Object({
  line: Type.Integer({ description: 'Line of the file on which the row starts' }),
  field: Type.String({ description: 'Name of the column, or "row" for an error of the whole row' }),
  message: Type.String(),
  identifier: Type.Optional(Type.String()),
  row: Type.String({ description: `The original row, up to ${maxReportedLength} characters` }),
});

export type ImportError = Omit<Static<typeof ImportErrorResponse>, 'identifier'> & { identifier: string | null };

export const importErrorResponse = (error: ImportError): Static<typeof ImportErrorResponse> =>
  recordResponse(ImportErrorResponse, error);

/** Creates the import task. Throws when the header or the business is invalid. */
export async function createImport(
  transaction: Transaction,
  caller: Caller,
  { file }: UploadedFile,
  { businessId, dryRun = false }: { businessId?: number; dryRun?: boolean },
  grants?: ReadonlySet<Grant>,
): Promise<Task> {
  if (businessId !== undefined) await requireBusiness(transaction, caller, businessId);
  const actor = actorOf(caller, grants);
  const { delimiter, header, firstRow, rows } = file.screened;
  const { unknown } = readHeader(header, { hasBusiness: businessId !== undefined });
  const parameters: ImportParameters = {
    path: file.path,
    fileName: file.name,
    sizeBytes: file.sizeBytes,
    delimiter,
    header,
    firstRow,
    ...(businessId !== undefined && { businessId }),
    ...(dryRun && { dryRun }),
    warnings: unknown.length > 0 ? [ignoredColumns(unknown)] : [],
    partnerIdentifier: caller.partnerIdentifier,
    ...(caller.user && { user: uploaderOf(caller.user) }),
    ...(actor.createsNoLabels && { createsNoLabels: true }),
  };
  const task = await createTask(transaction, actor, { type: importType, parameters, total: rows, job: importJob });
  await recordAudit(transaction, actor, 'CREATED', importType, task.id, {
    fileName: file.name,
    rows,
    ...(dryRun && { dryRun }),
  });
  return task;
}

const ignoredColumns = (names: readonly string[]) =>
  `Unknown column${names.length > 1 ? 's' : ''} ignored: ${names.join(', ')}.`;

// Errors per statement, a few megabytes at most.
const chunkSize = 500;

export async function insertImportErrors(sql: Sql, taskId: number, errors: readonly ImportError[]): Promise<void> {
  for (let start = 0; start < errors.length; start += chunkSize) {
    const chunk = errors.slice(start, start + chunkSize);
    await run(sql, insertErrors, [
      taskId,
      chunk.map(({ line }) => line),
      chunk.map(({ field }) => field),
      chunk.map(({ message }) => message),
      chunk.map(({ identifier }) => identifier),
      chunk.map(({ row }) => row),
    ]);
  }
}

const insertErrors = defineStatement({
  name: 'insert-location-import-errors',
  text: `insert into location_import_errors (task_id, line, field, message, identifier, raw)
         select $1, error.* from unnest($2::integer[], $3::text[], $4::text[], $5::text[], $6::text[]) as error`,
});

const errorsOf = (sql: Sql, taskId: number) => db(sql).selectFrom('locationImportErrors').where('taskId', '=', taskId);

/** In file order; up to max + 1, to detect whether another page follows. */
export function listImportErrors(sql: Sql, taskId: number, { offset, max, after = 0 }: PageQuery) {
  const last = errorsOf(sql, taskId).select('line').where('id', '=', after);
  return errorsOf(sql, taskId)
    .select(['id', 'line', 'field', 'message', 'identifier', 'raw as row'])
    .where(({ refTuple }) => raw`${refTuple('line', 'id')} > (coalesce(${last}, 0), ${after}::bigint)`)
    .orderBy('line')
    .orderBy('id')
    .offset(offset)
    .limit(max + 1)
    .execute();
}

export function countImportErrors(sql: Sql, partnerId: number, taskId: number): Promise<Counted> {
  const rows = errorsOf(sql, taskId);
  return countRows(sql, { table: 'locationImportErrors', partnerId, rows, all: rows });
}
