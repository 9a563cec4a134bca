import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Database, Sql } from '../../../database/connection.ts';
import { notMoving } from '../../../database/partner-moves.ts';
import { anyOf, db, inSeconds, raw } from '../../../database/query-builder.ts';
import type { DB } from '../../../database/schema.ts';
import { type CursorPage, cursorPage } from '../../../http/pagination.ts';
import { recordResponse } from '../../../http/record-response.ts';
import { defineJob } from '../../../jobs/job.ts';
import { progressOf, type Task, type TaskFilter, taskResponseFields } from '../../../jobs/tasks/task.ts';
import { findTask, listTasks, taskDefinition } from '../../../jobs/tasks/task-store.ts';
import { trimEndOf } from '../../../text.ts';
import { type ExportFormat, type ExportRequest, type ExportType, exportFormats } from './export-request.ts';

/** Task types, one per API resource. */
export const excelExport = 'EXCEL_EXPORT';
export const reportExport = 'DASHBOARD_REPORT';

export const exportJob = defineJob('exports.make', taskDefinition);

/** A task with its file. */
export interface Export extends Task, Omit<Selectable<DB['exports']>, 'format'> {
  format: ExportFormat;
}

export const requestOf = ({ parameters }: Pick<Task, 'parameters'>): ExportRequest =>
  parameters as unknown as ExportRequest;

export const ExportResponse = Type.Object(
  {
    ...taskResponseFields,
    name: Type.String({ description: 'Name of the file without the extension' }),
    type: Type.Enum(['DASHBOARD', 'INSIGHTS', 'REPORT'] satisfies ExportType[]),
    format: Type.Enum([...exportFormats]),
    sizeBytes: Type.Optional(Type.Integer({ description: 'Size of the finished file' })),
    rows: Type.Optional(Type.Integer({ description: 'Number of location rows in the finished file' })),
    dateExpires: Type.Optional(Type.String({ description: 'When the file expires' })),
    downloadUrl: Type.Optional(Type.String({ description: 'URL of the file; absent unless it can be downloaded' })),
  },
  {
    title: 'Export',
    examples: [
      {
        id: 812,
        status: 'FINISHED',
        progress: 100,
        createdBy: 'anna@lindner.example',
        dateCreated: '2026-11-15T08:00:00.000Z',
        dateStarted: '2026-11-15T08:00:01.000Z',
        dateFinished: '2026-11-15T08:00:09.000Z',
        name: 'Insights 2026-10-16 to 2026-11-14',
        type: 'INSIGHTS',
        format: 'xlsx',
        sizeBytes: 184_320,
        rows: 3600,
        dateExpires: '2026-11-22T08:00:09.000Z',
        downloadUrl: 'https://waypost.example/api/dashboard/excel-exports/812/download',
      },
    ],
  },
);

export type ExportResponse = Static<typeof ExportResponse>;

export const hasFile = ({ status, fileName, expiresAt }: Export, now: Date): boolean =>
  status === 'FINISHED' && fileName !== null && expiresAt !== null && expiresAt > now;

export function exportResponse(found: Export, { url, now }: { url: string; now: Date }): ExportResponse {
  const { rows = null } = found.result as { rows?: number };
  return recordResponse(ExportResponse, {
    ...found,
    progress: progressOf(found),
    type: requestOf(found).type,
    rows,
    dateExpires: found.expiresAt,
    downloadUrl: hasFile(found, now) ? `${url}/${found.id}/download` : null,
  });
}

export function defaultName({ type, span: { from, to } }: ExportRequest): string {
  const kinds: Record<ExportType, string> = { DASHBOARD: 'Dashboard', INSIGHTS: 'Insights', REPORT: 'Report' };
  return `${kinds[type]} ${from} to ${to}`;
}

/** A file name that is valid on every system, with the extension of the format. */
export function fileNameOf({ name, format }: Pick<Export, 'name' | 'format'>): string {
  const clean = trimEndOf(name.replace(/[\p{Cc}<>:"/\\|?*]+/gu, '-').replace(/^[. ]+/, ''), /[. ]/) || 'export';
  return `${clean.toLowerCase().endsWith(`.${format}`) ? clean.slice(0, -format.length - 1) : clean}.${format}`;
}

/** Progress in units of similar size: a location in a table, or the summary. */
export class ExportProgress {
  total = 1;
  done = 0;
  rows = 0;

  expect(units: number): void {
    this.total += units;
  }

  advance(): void {
    this.done += 1;
  }
}

/** `sql` may be the replica; `database` is the primary. */
export interface ExportSource {
  database: Database;
  sql: Sql;
}

export interface ExportContext {
  now: Date;
  progress: ExportProgress;
}

export async function insertExport(
  sql: Sql,
  { id, partnerId }: Task,
  { name, format }: { name: string; format: ExportFormat },
): Promise<void> {
  await db(sql).insertInto('exports').values({ id, partnerId, name, format }).execute();
}

export async function findExport(sql: Sql, tasks: TaskFilter, id: number): Promise<Export | undefined> {
  const task = await findTask(sql, tasks, id);
  return task && (await withFiles(sql, [task]))[0];
}

/** Newest first. An export that is deleted meanwhile is missing in the page. */
export async function listExports(
  sql: Sql,
  tasks: TaskFilter,
  { offset, max }: { offset: number; max: number },
): Promise<CursorPage<Export>> {
  const { entries, after } = cursorPage(await listTasks(sql, tasks, { offset, limit: max + 1 }), max, ({ id }) => id);
  return { entries: await withFiles(sql, entries), after };
}

async function withFiles(sql: Sql, tasks: readonly Task[]): Promise<Export[]> {
  const ids = tasks.map(({ id }) => id);
  const rows = await db(sql)
    .selectFrom('exports')
    .select(['id', 'name', 'format', 'fileName', 'sizeBytes', 'expiresAt'])
    .where('id', '=', anyOf(ids, 'bigint'))
    .$narrowType<Pick<Export, 'format'>>()
    .execute();
  const files = new Map(rows.map((row) => [row.id, row]));
  return tasks.flatMap((task) => {
    const file = files.get(task.id);
    return file ? [{ ...task, ...file }] : [];
  });
}

export async function renameExport(sql: Sql, id: number, name: string): Promise<void> {
  await db(sql).updateTable('exports').set({ name }).where('id', '=', id).execute();
}

export async function setFile(
  sql: Sql,
  id: number,
  { fileName, sizeBytes, keptSeconds }: { fileName: string; sizeBytes: number; keptSeconds: number },
): Promise<void> {
  await db(sql)
    .updateTable('exports')
    .set({ fileName, sizeBytes, expiresAt: inSeconds(keptSeconds) })
    .where('id', '=', id)
    .execute();
}

/** Detaches the file from the export and returns its name. */
export async function detachFile(sql: Sql, id: number): Promise<string[]> {
  const detached = await db(sql)
    .updateTable('exports')
    .set({ fileName: null })
    .from(({ selectFrom }) => selectFrom('exports').select('fileName').where('id', '=', id).forUpdate().as('was'))
    .where('id', '=', id)
    .where('was.fileName', 'is not', null)
    .returning('was.fileName')
    .$narrowType<{ fileName: string }>()
    .execute();
  return detached.map(({ fileName }) => fileName);
}

/** Detaches expired files and returns their names. */
export async function detachExpiredFiles(sql: Sql, limit: number): Promise<string[]> {
  const detached = await db(sql)
    .updateTable('exports')
    .set({ fileName: null })
    .from(({ selectFrom }) =>
      selectFrom('exports')
        .select(['id', 'fileName'])
        .where('fileName', 'is not', null)
        .where('expiresAt', '<', raw<Date>`now()`)
        .where(notMoving('partner_id'))
        .orderBy('expiresAt')
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .as('old'),
    )
    .whereRef('exports.id', '=', 'old.id')
    .returning('old.fileName')
    .$narrowType<{ fileName: string }>()
    .execute();
  return detached.map(({ fileName }) => fileName);
}
