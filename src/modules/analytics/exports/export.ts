import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Database, Sql } from '../../../database/connection.ts';
import type { DB } from '../../../database/schema.ts';
import { defineJob } from '../../../jobs/job.ts';
import { type Task, taskProgressResponse, taskResponseFields } from '../../../jobs/tasks/task.ts';
import { taskDefinition } from '../../../jobs/tasks/task-store.ts';
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
  const { rows } = found.result as { rows?: number };
  return {
    ...taskProgressResponse(found),
    name: found.name,
    type: requestOf(found).type,
    format: found.format,
    ...(found.sizeBytes !== null && { sizeBytes: found.sizeBytes }),
    ...(rows !== undefined && { rows }),
    ...(found.expiresAt && { dateExpires: found.expiresAt.toISOString() }),
    ...(hasFile(found, now) && { downloadUrl: `${url}/${found.id}/download` }),
  };
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

  /** An arrow function, to be passed as a callback. */
  readonly advance = (): void => {
    this.done += 1;
  };
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
