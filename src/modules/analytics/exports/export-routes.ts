import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { publicBaseUrl } from '../../../http/base-url.ts';
import { FileResponse, fileRoute } from '../../../http/file-route.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { readSpan, readSpanOf, spanQuery } from '../../../values/span.ts';
import { defaultName, ExportProgress, ExportResponse, excelExport, fileNameOf, reportExport } from './export.ts';
import { createExport, exportCollection, responseOf } from './export-collection.ts';
import { contentTypes, exportContent } from './export-content.ts';
import {
  type ExportRequest,
  excelExportBody,
  exportFields,
  exportFormats,
  exportName,
  exportQuery,
  planExport,
} from './export-request.ts';

const needs = 'DASHBOARD_READ';
const excelPath = '/api/dashboard/excel-exports';
const reportPath = '/api/dashboard-exports';

export function excelExportRoutes(server: FastifyInstance, services: Services): void {
  const { config } = services;
  route(server, {
    method: 'POST',
    path: excelPath,
    summary: 'Create an Excel export in the background',
    body: excelExportBody,
    needs,
    response: ExportResponse,
    problems: ['NOT_FOUND', 'EXPORT_TOO_LARGE'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { name, type = 'DASHBOARD', language = 'en', ...given } = request.body;
        const options = { ...given, type, language, span: readSpan(given, new Date()) };
        const planned = await planExport(transaction, request.caller, options, { maxRows: config.exportLimit });
        return responseOf(request, excelPath, await createExport(transaction, request.caller, planned.request, name));
      }),
  });
  exportCollection(server, services, { path: excelPath, what: 'Excel export', taskType: excelExport });
}

export function dashboardReportRoutes(server: FastifyInstance, services: Services): void {
  const { config } = services;
  route(server, {
    method: 'POST',
    path: reportPath,
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
    needs,
    response: ExportResponse,
    problems: ['NOT_FOUND', 'EXPORT_TOO_LARGE'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { name, start, end, format = 'pdf', language = 'en', ...given } = request.body;
        const span = readSpanOf({ field: 'start', day: start }, { field: 'end', day: end }, new Date());
        const { group } = request.query;
        const options = { ...(group && { group }), ...given, type: 'REPORT', format, language, span } as const;
        const planned = await planExport(transaction, request.caller, options, { maxRows: config.exportLimit });
        return responseOf(request, reportPath, await createExport(transaction, request.caller, planned.request, name));
      }),
  });
  exportCollection(server, services, { path: reportPath, what: 'dashboard export', taskType: reportExport });
}

const insightsPath = '/api/dashboard/export-insights-data';

type Query = Static<typeof exportQuery>;

/** Exports that are streamed directly. */
export function exportFileRoutes(server: FastifyInstance, { config, database }: Services): void {
  const planned = (
    sql: Sql,
    caller: Caller,
    type: 'DASHBOARD' | 'INSIGHTS',
    { type: directoryTypes, ...query }: Query,
  ) =>
    planExport(
      sql,
      caller,
      { ...query, type, span: readSpan(query, new Date()), ...(directoryTypes && { directoryTypes }) },
      { maxRows: config.exportLimit, directoriesField: 'type' },
    );
  const fileOf = (sql: Sql, request: ExportRequest) =>
    new FileResponse({
      content: exportContent({ database, sql }, request, { now: new Date(), progress: new ExportProgress() }),
      contentType: contentTypes.xlsx,
      name: fileNameOf({ name: defaultName(request), format: 'xlsx' }),
    });

  for (const { path, type, summary } of [
    { path: '/api/dashboard/excel-export', type: 'DASHBOARD', summary: 'Download the dashboard as an Excel file' },
    { path: insightsPath, type: 'INSIGHTS', summary: 'Download insights by location and period as an Excel file' },
  ] as const) {
    fileRoute(server, {
      path,
      summary,
      reads: 'replica',
      query: exportQuery,
      needs,
      produces: [contentTypes.xlsx],
      problems: ['NOT_FOUND', 'EXPORT_TOO_LARGE'],
      handler: async ({ caller, query }, sql) => fileOf(sql, (await planned(sql, caller, type, query)).request),
    });
  }

  route(server, {
    method: 'GET',
    path: `${insightsPath}-with-threshold`,
    summary: 'Export insights as an Excel file: returns a URL for small files, or creates a job for large ones',
    query: exportQuery,
    needs,
    response: Type.Object({
      rows: Type.Integer({ description: 'Maximum number of rows' }),
      threshold: Type.Integer({ description: 'Number of rows up to which a URL is returned' }),
      url: Type.Optional(Type.String({ description: 'URL of a small file. Request it with the same key' })),
      jobId: Type.Optional(Type.Integer({ description: 'Id of the Excel export of a large file' })),
      job: Type.Optional(ExportResponse),
    }),
    problems: ['NOT_FOUND', 'EXPORT_TOO_LARGE'],
    handler: async (request) => {
      const { caller, query } = request;
      const { request: exportRequest, rows } = await planned(database.pool, caller, 'INSIGHTS', query);
      const { exportThreshold: threshold } = config;
      if (rows <= threshold) {
        return { rows, threshold, url: `${publicBaseUrl(request)}${insightsPath}?${queryOf(query, exportRequest)}` };
      }
      const created = await database.transaction((transaction) => createExport(transaction, caller, exportRequest));
      return { rows, threshold, jobId: created.id, job: responseOf(request, excelPath, created) };
    },
  });
}

/** The same query with resolved dates. */
function queryOf(query: Query, { span, group }: ExportRequest): URLSearchParams {
  const { startDate: _start, endDate: _end, group: _group, ...rest } = query;
  const fields = Object.entries({ ...rest, startDate: span.from, endDate: span.to, group });
  return new URLSearchParams(fields.flatMap(([name, value]) => [value].flat().map((entry) => [name, String(entry)])));
}
