import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Caller } from '../../../http/authenticate.ts';
import { publicBaseUrl } from '../../../http/base-url.ts';
import { FileResponse, fileRoute } from '../../../http/file-route.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { readSpan } from '../../../values/span.ts';
import { createExport } from './create-export.ts';
import { defaultName, ExportResponse, exportResponse, fileNameOf } from './export.ts';
import { contentTypes, exportContent } from './export-content.ts';
import { ExportProgress } from './export-progress.ts';
import { exportQuery } from './export-query.ts';
import { type ExportRequest, planExport } from './export-request.ts';

const needs = 'DASHBOARD_READ';
const insightsPath = '/api/dashboard/export-insights-data';
const jobsPath = '/api/dashboard/excel-exports';

type Query = Static<typeof exportQuery>;

/** Exports that are streamed directly. */
export function exportFileRoutes(server: FastifyInstance, { config, database }: Services): void {
  const planned = (caller: Caller, type: 'DASHBOARD' | 'INSIGHTS', { type: directoryTypes, ...query }: Query) =>
    planExport(
      database.pool,
      caller,
      { ...query, type, span: readSpan(query, new Date()), ...(directoryTypes && { directoryTypes }) },
      { maxRows: config.exportLimit, directoriesField: 'type' },
    );
  const fileOf = (request: ExportRequest) =>
    new FileResponse({
      content: exportContent(database, request, { now: new Date(), progress: new ExportProgress() }),
      contentType: contentTypes.xlsx,
      name: fileNameOf({ name: defaultName(request), format: 'xlsx' }),
    });

  fileRoute(server, {
    path: '/api/dashboard/excel-export',
    summary: 'Download the dashboard as an Excel file',
    query: exportQuery,
    needs,
    produces: [contentTypes.xlsx],
    problems: ['NOT_FOUND', 'EXPORT_TOO_LARGE'],
    handler: async ({ caller, query }) => fileOf((await planned(caller, 'DASHBOARD', query)).request),
  });

  fileRoute(server, {
    path: insightsPath,
    summary: 'Download insights by location and period as an Excel file',
    query: exportQuery,
    needs,
    produces: [contentTypes.xlsx],
    problems: ['NOT_FOUND', 'EXPORT_TOO_LARGE'],
    handler: async ({ caller, query }) => fileOf((await planned(caller, 'INSIGHTS', query)).request),
  });

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
      const { request: exportRequest, rows } = await planned(caller, 'INSIGHTS', query);
      const { exportThreshold: threshold } = config;
      const publicUrl = publicBaseUrl(request);
      if (rows <= threshold)
        return { rows, threshold, url: `${publicUrl}${insightsPath}?${queryOf(query, exportRequest)}` };
      const created = await database.transaction((transaction) => createExport(transaction, caller, exportRequest));
      const job = exportResponse(created, { url: publicUrl + jobsPath, now: new Date() });
      return { rows, threshold, jobId: created.id, job };
    },
  });
}

/** The same query with resolved dates. */
function queryOf(query: Query, { span, group }: ExportRequest): URLSearchParams {
  const { startDate: _start, endDate: _end, group: _group, ...rest } = query;
  const fields = Object.entries({ ...rest, startDate: span.from, endDate: span.to, group });
  return new URLSearchParams(fields.flatMap(([name, value]) => [value].flat().map((entry) => [name, String(entry)])));
}
