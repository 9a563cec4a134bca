import Type, { type Static } from 'typebox';
import { defineJob } from '../../../jobs/job.ts';
import { type Task, taskProgressResponse, taskResponseFields } from '../../../jobs/tasks/task.ts';
import { taskDefinition } from '../../../jobs/tasks/task-store.ts';
import { trimEndOf } from '../../../text.ts';
import { type ExportFormat, type ExportRequest, type ExportType, exportFormats } from './export-request.ts';

/** The kinds of task that make exports, each with the part of the API that it belongs to. */
export const excelExport = 'EXCEL_EXPORT';
export const reportExport = 'DASHBOARD_REPORT';

export const exportJob = defineJob('exports.make', taskDefinition);

/** A task together with the file that it makes. */
export interface Export extends Task {
  name: string;
  format: ExportFormat;
  fileName: string | null;
  sizeBytes: number | null;
  expiresAt: Date | null;
}

export const requestOf = ({ parameters }: Pick<Task, 'parameters'>): ExportRequest =>
  parameters as unknown as ExportRequest;

export const ExportAnswer = Type.Object(
  {
    ...taskResponseFields,
    name: Type.String({ description: 'What its file is called, without the ending' }),
    type: Type.Enum(['DASHBOARD', 'INSIGHTS', 'REPORT'] satisfies ExportType[]),
    format: Type.Enum([...exportFormats]),
    sizeBytes: Type.Optional(Type.Integer({ description: 'Of the finished file' })),
    rows: Type.Optional(Type.Integer({ description: 'Rows about locations in the finished file' })),
    dateExpires: Type.Optional(Type.String({ description: 'Until when the file can be downloaded' })),
    downloadUrl: Type.Optional(Type.String({ description: 'Where the file is; absent unless it can be downloaded' })),
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

export type ExportAnswer = Static<typeof ExportAnswer>;

export const hasFile = ({ status, fileName, expiresAt }: Export, now: Date): boolean =>
  status === 'FINISHED' && fileName !== null && expiresAt !== null && expiresAt > now;

export function exportAnswer(found: Export, { url, now }: { url: string; now: Date }): ExportAnswer {
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

/** What an export is called when nobody has named it. */
export function usualName({ type, span: { from, to } }: ExportRequest): string {
  const kinds: Record<ExportType, string> = { DASHBOARD: 'Dashboard', INSIGHTS: 'Insights', REPORT: 'Report' };
  return `${kinds[type]} ${from} to ${to}`;
}

/** A name that every system can save: no path, no signs that some refuse, and the ending that its format has. */
export function fileNameOf({ name, format }: Pick<Export, 'name' | 'format'>): string {
  const clean = trimEndOf(name.replace(/[\p{Cc}<>:"/\\|?*]+/gu, '-').replace(/^[. ]+/, ''), /[. ]/) || 'export';
  return `${clean.toLowerCase().endsWith(`.${format}`) ? clean.slice(0, -format.length - 1) : clean}.${format}`;
}
