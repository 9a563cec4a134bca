import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { publicBaseUrl } from '../../../http/base-url.ts';
import { FileResponse, fileRoute } from '../../../http/file-route.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { idParams } from '../../../http/ids.ts';
import { cursorList, longListSchema, pageQuery } from '../../../http/pagination.ts';
import { PartnerSlots } from '../../../http/rate-limits.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { requireChange } from '../../../http/validation.ts';
import { hasEnded, openTaskStatuses, taskConditions, taskStatuses } from '../../../jobs/tasks/task.ts';
import { countTasks, createTask, deleteTask } from '../../../jobs/tasks/task-store.ts';
import { Problem, requireFound, unknownReference } from '../../../problems.ts';
import { releaseFiles } from '../../../storage/pending-files.ts';
import { normalizeText } from '../../../text.ts';
import { readSpan, readSpanOf, spanQuery } from '../../../values/span.ts';
import { actorOf, cancelVisibleTask } from '../../accounts/index.ts';
import {
  defaultName,
  detachFile,
  type Export,
  ExportProgress,
  ExportResponse,
  excelExport,
  exportJob,
  exportResponse,
  fileNameOf,
  findExport,
  hasFile,
  insertExport,
  listExports,
  renameExport,
  reportExport,
} from './export.ts';
import { contentTypes, exportContent } from './export-jobs.ts';
import {
  type ExportOptions,
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
  route(server, {
    method: 'POST',
    path: excelPath,
    summary: 'Create an Excel export in the background',
    body: excelExportBody,
    needs,
    response: ExportResponse,
    problems: ['EXPORT_TOO_LARGE'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { name, type = 'DASHBOARD', language = 'en', ...given } = request.body;
        const options = { ...given, type, language, span: readSpan(given, new Date()) };
        return responseOf(request, excelPath, await requestExport(transaction, request, options, name));
      }),
  });
  exportCollection(server, services, { path: excelPath, noun: 'Excel export', taskType: excelExport });
}

export function dashboardReportRoutes(server: FastifyInstance, services: Services): void {
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
    problems: ['EXPORT_TOO_LARGE'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { name, start, end, format = 'pdf', language = 'en', ...given } = request.body;
        const span = readSpanOf({ field: 'start', day: start }, { field: 'end', day: end }, new Date());
        const { group } = request.query;
        const options = { ...(group && { group }), ...given, type: 'REPORT', format, language, span } as const;
        return responseOf(request, reportPath, await requestExport(transaction, request, options, name));
      }),
  });
  exportCollection(server, services, { path: reportPath, noun: 'dashboard export', taskType: reportExport });
}

const insightsPath = '/api/dashboard/export-insights-data';

type Query = Static<typeof exportQuery>;

/** A download occupies the database and the processor while it is created. */
const downloadLimits = { perPartner: 3, total: 9, requests: 'exports', retryAfterSeconds: 15 };
/** A client that reads nothing for this time is disconnected, so that its slot becomes available. */
const stalledMs = 120_000;

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
  const slots = new PartnerSlots(downloadLimits);

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
      handler: async ({ caller, query, raw }, sql) => {
        let name = '';
        const content = await slots.open(caller.keyPartnerId ?? caller.partnerId, async () => {
          const { request } = await planned(sql, caller, type, query);
          name = fileNameOf({ name: defaultName(request), format: 'xlsx' });
          return exportContent({ database, sql }, request, { now: new Date(), progress: new ExportProgress() });
        });
        raw.setTimeout(stalledMs);
        return new FileResponse({ content, contentType: contentTypes.xlsx, name });
      },
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

const responseOf = (request: FastifyRequest, path: string, found: Export): ExportResponse =>
  exportResponse(found, { url: `${publicBaseUrl(request)}${path}`, now: new Date() });

const ExportChange = Type.Object({
  name: Type.Optional(
    Type.String({ pattern: '\\S', maxLength: 200, description: 'Not blank', examples: ['November'] }),
  ),
  status: Type.Optional(Type.Enum(['CANCELLED'])),
});

/** Routes to list, read, change, delete and download exports. `noun` names the resource in messages. */
function exportCollection(
  server: FastifyInstance,
  { database, files }: Services,
  { path, noun, taskType }: { path: `/api/${string}`; noun: string; taskType: string },
): void {
  const types = [taskType];
  const requireExport = async (sql: Sql, caller: Caller, id: number) =>
    requireFound(await findExport(sql, taskConditions(caller, { types }), id), `${noun} ${id}`);

  route(server, {
    method: 'GET',
    path,
    summary: `List each ${noun} that you created or can access, newest first`,
    query: Type.Object({ ...pageQuery, status: Type.Optional(Type.Array(Type.Enum([...taskStatuses]))) }),
    needs,
    response: longListSchema('exports', ExportResponse),
    handler: async (request) => {
      const { caller, query } = request;
      const { after, status: statuses } = query;
      const all = taskConditions(caller, { types, statuses });
      const counted = await countTasks(database.pool, all);
      const found = await listExports(database.pool, { ...all, after }, query);
      return cursorList('exports', query, counted, found, (entry) => responseOf(request, path, entry));
    },
  });

  route(server, {
    method: 'GET',
    path: `${path}/:id`,
    summary: `Get one ${noun} with its progress`,
    params: idParams,
    needs,
    response: ExportResponse,
    problems: ['NOT_FOUND'],
    handler: async (request) =>
      responseOf(request, path, await requireExport(database.pool, request.caller, request.params.id)),
  });

  route(server, {
    method: 'PATCH',
    path: `${path}/:id`,
    summary: `Rename one ${noun}, or cancel it with status CANCELLED`,
    params: idParams,
    body: ExportChange,
    needs,
    response: ExportResponse,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async (request) => {
      const { caller, body, params } = request;
      const { name, status } = body;
      requireChange(body, ExportChange.properties, request.warnings);
      const changed = await database.transaction(async (transaction) => {
        await requireExport(transaction, caller, params.id);
        if (status) await cancelVisibleTask(transaction, caller, params.id, { types, noun });
        if (name !== undefined) await renameExport(transaction, params.id, normalizeText(name));
        return requireExport(transaction, caller, params.id);
      });
      return responseOf(request, path, changed);
    },
  });

  route(server, {
    method: 'DELETE',
    path: `${path}/:id`,
    summary: `Delete a finished ${noun} and its file`,
    params: idParams,
    needs,
    response: Type.Object({ success: Type.Boolean() }),
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ caller, params: { id } }) => {
      await database.transaction(async (transaction) => {
        const found = await requireExport(transaction, caller, id);
        if (!hasEnded(found)) throw notFinished(noun, found);
        await releaseFiles(transaction, await detachFile(transaction, id));
        await deleteTask(transaction, id);
        await recordAudit(transaction, actorOf(caller), 'DELETED', taskType, id);
      });
      return { success: true };
    },
  });

  fileRoute(server, {
    path: `${path}/:id/download`,
    summary: `Download the file of a finished ${noun}`,
    params: idParams,
    needs,
    produces: [...new Set(Object.values(contentTypes))],
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ caller, params: { id } }) => {
      const found = await requireExport(database.pool, caller, id);
      if (found.status !== 'FINISHED') throw noFileYet(noun, found);
      const file = found.fileName !== null && hasFile(found, new Date()) && (await files.read(found.fileName));
      if (!file) throw fileExpired(noun, found);
      return new FileResponse({
        content: file.stream,
        sizeBytes: file.sizeBytes,
        contentType: contentTypes[found.format],
        name: fileNameOf(found),
      });
    },
  });
}

const notFinished = (noun: string, { id, status }: Export) =>
  new Problem('CONFLICT', {
    message: `The ${noun} ${id} is ${status}. Cancel it first: PATCH with status CANCELLED.`,
  });

function noFileYet(noun: string, { id, status, error }: Export): Problem {
  const reasons: Partial<Record<Export['status'], string>> = {
    FAILED: `failed and has no file: ${error ?? ''}`,
    CANCELLED: 'was cancelled and has no file. Create a new one.',
  };
  const pending = `is ${status}. The file can be downloaded when the status is FINISHED. Try again later.`;
  return new Problem('CONFLICT', { message: `The ${noun} ${id} ${reasons[status] ?? pending}`.trim() });
}

const fileExpired = (noun: string, { id, expiresAt }: Export) =>
  new Problem('NOT_FOUND', {
    message: `The file of the ${noun} ${id} was removed${expiresAt ? ` after ${expiresAt.toISOString()}` : ''}. Create a new one.`,
  });

/** Plans and creates the export of a POST. */
async function requestExport(
  transaction: Transaction,
  { caller, server }: FastifyRequest & { caller: Caller },
  options: ExportOptions,
  name: string | undefined,
): Promise<Export> {
  const { exportLimit: maxRows } = server.services.config;
  const { request } = await planExport(transaction, caller, options, { maxRows, missing: unknownReference });
  return createExport(transaction, caller, request, name);
}

/** Leaves worker capacity for other partners. */
const maxPending = 20;
const types = [excelExport, reportExport];

async function createExport(
  transaction: Transaction,
  caller: Caller,
  request: ExportRequest,
  name = defaultName(request),
): Promise<Export> {
  await requireCapacity(transaction, caller);
  const actor = actorOf(caller);
  const type = request.type === 'REPORT' ? reportExport : excelExport;
  const task = await createTask(transaction, actor, { type, parameters: request, job: exportJob });
  await insertExport(transaction, task, { name, format: request.format });
  await recordAudit(transaction, actor, 'CREATED', type, task.id, { name });
  return (await findExport(transaction, taskConditions(caller), task.id)) as Export;
}

async function requireCapacity(transaction: Transaction, { user: _user, ...partner }: Caller): Promise<void> {
  const pending = taskConditions(partner, { types, statuses: openTaskStatuses });
  if ((await countTasks(transaction, pending)).count < maxPending) return;
  throw new Problem('QUOTA_LIMIT_EXCEED', {
    message: `${maxPending} exports are already pending. Wait until one has finished, or cancel one.`,
    retryAfterSeconds: 30,
  });
}
