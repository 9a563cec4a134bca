import { Readable } from 'node:stream';
import type { Database } from '../../../database/connection.ts';
import { dashboardSheets } from './dashboard-workbook.ts';
import type { ExportContext } from './export.ts';
import type { ExportFormat, ExportRequest } from './export-request.ts';
import { insightSheets } from './insights-workbook.ts';
import { textsIn } from './texts/report-texts.ts';
import { workbook, xlsxType } from './xlsx/workbook.ts';

export const contentTypes: Record<ExportFormat, string> = { xlsx: xlsxType, pdf: 'application/pdf' };

/** Lazy: the database is queried only as the stream is read. */
export function exportContent(database: Database, request: ExportRequest, context: ExportContext): Readable {
  if (request.format === 'pdf') return Readable.from(pdfContent(database, request, context), { objectMode: false });
  const texts = textsIn(request.language);
  const [title, sheets] =
    request.type === 'INSIGHTS'
      ? [texts.insightsTitle, insightSheets(database, request, context)]
      : [texts.dashboardTitle, dashboardSheets(database, request, context)];
  return workbook(sheets, { title, creator: 'Waypost', created: context.now });
}

/** Imported lazily, because the PDF library is large. */
async function* pdfContent(
  database: Database,
  request: ExportRequest,
  context: ExportContext,
): AsyncGenerator<Uint8Array> {
  const { reportPdf } = await import('./pdf/report-pdf.ts');
  yield* reportPdf(database, request, context);
}
