import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { Problem } from '../../../problems.ts';
import { readSpan, type Span, spanQuery } from '../../../values/span.ts';
import { createExport } from './create-export.ts';
import { ExportResponse, reportExport } from './export.ts';
import { exportCollection, responseOf } from './export-collection.ts';
import { exportFields, exportName } from './export-query.ts';
import { exportFormats, planExport } from './export-request.ts';

const path = '/api/dashboard-exports';

export function dashboardReportRoutes(server: FastifyInstance, services: Services): void {
  const { config } = services;
  route(server, {
    method: 'POST',
    path,
    summary: 'Create a dashboard report as PDF or Excel file',
    body: Type.Object(
      {
        name: exportName,
        format: Type.Optional(Type.Enum([...exportFormats], { default: 'pdf' })),
        start: spanQuery.startDate,
        end: spanQuery.endDate,
        ...exportFields,
        language: Type.Optional(exportFields.language),
      },
      {
        examples: [
          { start: '2026-08-01', end: '2026-10-31', group: 'WEEK', locationIds: [4711], language: 'de', format: 'pdf' },
        ],
      },
    ),
    query: Type.Object({ group: exportFields.group }),
    needs: 'DASHBOARD_READ',
    response: ExportResponse,
    problems: ['NOT_FOUND', 'EXPORT_TOO_LARGE'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { name, start, end, format = 'pdf', language = 'en', ...given } = request.body;
        const span = spanOf({ ...(start && { startDate: start }), ...(end && { endDate: end }) });
        const { group } = request.query;
        const options = { ...(group && { group }), ...given, type: 'REPORT', format, language, span } as const;
        const planned = await planExport(transaction, request.caller, options, { maxRows: config.exportLimit });
        return responseOf(request, path, await createExport(transaction, request.caller, planned.request, name));
      }),
  });
  exportCollection(server, services, {
    path,
    what: 'dashboard export',
    taskType: reportExport,
  });
}

/** Maps startDate and endDate to the field names of this endpoint. */
function spanOf(given: { startDate?: string; endDate?: string }): Span {
  try {
    return readSpan(given, new Date());
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const renamed = (text: string) => text.replaceAll('startDate', 'start').replaceAll('endDate', 'end');
    throw new Problem('INVALID_PARAMETER', {
      errors: error.errors.map(({ field, rule, message }) => ({
        field: renamed(field),
        rule,
        message: renamed(message),
      })),
    });
  }
}
