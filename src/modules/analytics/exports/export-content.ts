import { Readable } from 'node:stream';
import type { Database } from '../../../database/connection.ts';
import { dashboardSheets } from './dashboard-workbook.ts';
import type { ExportProgress } from './export-progress.ts';
import type { ExportFormat, ExportRequest } from './export-request.ts';
import { insightSheets } from './insights-workbook.ts';
import { textsIn } from './texts/report-texts.ts';
import { workbook, xlsxType } from './xlsx/workbook.ts';

export const contentTypes: Record<ExportFormat, string> = { xlsx: xlsxType, pdf: 'application/pdf' };

interface Making {
  now: Date;
  progress: ExportProgress;
}

/** The bytes of an export, made as they are read: nothing is asked of the database before, and no more than that. */
export function exportContent(database: Database, request: ExportRequest, making: Making): Readable {
  if (request.format === 'pdf') return Readable.from(pdfContent(database, request, making), { objectMode: false });
  const texts = textsIn(request.language);
  const [title, sheets] =
    request.type === 'INSIGHTS'
      ? [texts.insightsTitle, insightSheets(database, request, making)]
      : [texts.dashboardTitle, dashboardSheets(database, request, making)];
  return workbook(sheets, { title, creator: 'Waypost', created: making.now });
}

/** What writes PDFs is large: whoever asks for none does without it. */
async function* pdfContent(database: Database, request: ExportRequest, making: Making): AsyncGenerator<Uint8Array> {
  const { reportPdf } = await import('./pdf/report-pdf.ts');
  yield* reportPdf(database, request, making);
}
