import type { FastifyInstance } from 'fastify';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { readSpan } from '../../../values/span.ts';
import { createExport } from './create-export.ts';
import { ExportResponse, excelExport } from './export.ts';
import { exportCollection, responseOf } from './export-collection.ts';
import { excelExportBody } from './export-query.ts';
import { planExport } from './export-request.ts';

const path = '/api/dashboard/excel-exports';

export function excelExportRoutes(server: FastifyInstance, services: Services): void {
  const { config } = services;
  route(server, {
    method: 'POST',
    path,
    summary: 'Create an Excel export in the background',
    body: excelExportBody,
    needs: 'DASHBOARD_READ',
    response: ExportResponse,
    problems: ['NOT_FOUND', 'EXPORT_TOO_LARGE'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { name, type = 'DASHBOARD', language = 'en', ...given } = request.body;
        const options = { ...given, type, language, span: readSpan(given, new Date()) };
        const planned = await planExport(transaction, request.caller, options, { maxRows: config.exportLimit });
        return responseOf(request, path, await createExport(transaction, request.caller, planned.request, name));
      }),
  });
  exportCollection(server, services, { path, what: 'Excel export', taskType: excelExport });
}
