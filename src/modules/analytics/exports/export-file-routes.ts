import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Caller } from '../../../http/authenticate.ts';
import { publicBaseUrl } from '../../../http/base-url.ts';
import { FileResponse, fileRoute } from '../../../http/file-route.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { readSpan } from '../../../values/span.ts';
import { createExport } from './create-export.ts';
import { ExportAnswer, exportAnswer, fileNameOf, usualName } from './export.ts';
import { contentTypes, exportContent } from './export-content.ts';
import { ExportProgress } from './export-progress.ts';
import { exportQuery } from './export-query.ts';
import { type ExportRequest, planExport } from './export-request.ts';

const needs = 'DASHBOARD_READ';
const insightsPath = '/api/dashboard/export-insights-data';
const jobsPath = '/api/dashboard/excel-exports';

type Query = Static<typeof exportQuery>;

/** Exports that are answered at once, written as fast as they are read. */
export function exportFileRoutes(server: FastifyInstance, { config, database }: Services): void {
  const planned = (caller: Caller, type: 'DASHBOARD' | 'INSIGHTS', { type: directoryTypes, ...query }: Query) =>
    planExport(
      database.pool,
      caller,
      { ...query, type, span: readSpan(query, new Date()), ...(directoryTypes && { directoryTypes }) },
      { mostRows: config.exportLimit, directoriesField: 'type' },
    );
  const fileOf = (request: ExportRequest) =>
    new FileResponse({
      content: exportContent(database, request, { now: new Date(), progress: new ExportProgress() }),
      contentType: contentTypes.xlsx,
      name: fileNameOf({ name: usualName(request), format: 'xlsx' }),
    });

  fileRoute(server, {
    path: '/api/dashboard/excel-export',
    summary: 'The dashboard as an Excel file: summary with charts, feedback and insights by period, locations',
    query: exportQuery,
    needs,
    produces: [contentTypes.xlsx],
    problems: ['NOT_FOUND', 'EXPORT_TOO_LARGE'],
    handler: async ({ caller, query }) => fileOf((await planned(caller, 'DASHBOARD', query)).request),
  });

  fileRoute(server, {
    path: insightsPath,
    summary: 'Insights by location and period as an Excel file, a sheet for each directory behind a summary',
    query: exportQuery,
    needs,
    produces: [contentTypes.xlsx],
    problems: ['NOT_FOUND', 'EXPORT_TOO_LARGE'],
    handler: async ({ caller, query }) => fileOf((await planned(caller, 'INSIGHTS', query)).request),
  });

  route(server, {
    method: 'GET',
    path: `${insightsPath}-with-threshold`,
    summary: 'Insights as an Excel file: where it is when it is small, or the job that makes it when it is large',
    query: exportQuery,
    needs,
    response: Type.Object({
      rows: Type.Integer({ description: 'How many rows it has at the most' }),
      threshold: Type.Integer({ description: 'Up to how many rows it counts as small' }),
      url: Type.Optional(Type.String({ description: 'Where a small one is: get it from there with the same key' })),
      jobId: Type.Optional(Type.Integer({ description: 'The job of a large one, among the excel-exports' })),
      job: Type.Optional(ExportAnswer),
    }),
    problems: ['NOT_FOUND', 'EXPORT_TOO_LARGE'],
    handler: async (request) => {
      const { caller, query } = request;
      const { request: wanted, rows } = await planned(caller, 'INSIGHTS', query);
      const { exportThreshold: threshold } = config;
      const address = publicBaseUrl(request);
      if (rows <= threshold) return { rows, threshold, url: `${address}${insightsPath}?${queryOf(query, wanted)}` };
      const created = await database.transaction((transaction) => createExport(transaction, caller, wanted));
      const job = exportAnswer(created, { url: address + jobsPath, now: new Date() });
      return { rows, threshold, jobId: created.id, job };
    },
  });
}

/** The same query once more, with the days that it meant when it was asked. */
function queryOf(query: Query, { span, group }: ExportRequest): URLSearchParams {
  const { startDate: _start, endDate: _end, group: _group, ...rest } = query;
  const fields = Object.entries({ ...rest, startDate: span.from, endDate: span.to, group });
  return new URLSearchParams(fields.flatMap(([name, value]) => [value].flat().map((entry) => [name, String(entry)])));
}
