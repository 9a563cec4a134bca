import { Readable } from 'node:stream';
import type { Sql } from '../../../database/connection.ts';
import { dashboardSheets } from './dashboard-workbook.ts';
import type { ExportContext, ExportSource } from './export.ts';
import type { ExportFormat, ExportRequest } from './export-request.ts';
import { insightSheets } from './insights-workbook.ts';
import { textsIn } from './texts/report-texts.ts';
import { workbook, xlsxType } from './xlsx/workbook.ts';

export const contentTypes: Record<ExportFormat, string> = { xlsx: xlsxType, pdf: 'application/pdf' };

/** Lazy: the database is queried only as the stream is read. */
export function exportContent(source: ExportSource, request: ExportRequest, context: ExportContext): Readable {
  if (request.format === 'pdf') return Readable.from(pdfContent(source.sql, request, context), { objectMode: false });
  const texts = textsIn(request.language);
  const [title, sheets] =
    request.type === 'INSIGHTS'
      ? [texts.insightsTitle, insightSheets(source.sql, request, context)]
      : [texts.dashboardTitle, dashboardSheets(source, request, context)];
  return workbook(sheets, { title, creator: 'Waypost', created: context.now });
}

/** Imported lazily, because the PDF library is large. */
async function* pdfContent(sql: Sql, request: ExportRequest, context: ExportContext): AsyncGenerator<Uint8Array> {
  const { reportPdf } = await import('./pdf/report-pdf.ts');
  yield* reportPdf(sql, request, context);
}
