import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { FileResponse, fileRoute } from '../../../http/file-route.ts';
import { dryRun, idempotentTransaction } from '../../../http/idempotency.ts';
import { Id, idParams } from '../../../http/ids.ts';
import { longList, longListSchema, pageQuery } from '../../../http/pagination.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { taskConditions } from '../../../jobs/tasks/task.ts';
import { countTasks, findTask, listTasks } from '../../../jobs/tasks/task-store.ts';
import { missingField, requireFound } from '../../../problems.ts';
import { cancelVisibleTask } from '../../accounts/index.ts';
import { csvLine } from './csv-records.ts';
import { locationColumns, requiredColumns } from './location-columns.ts';
import {
  countImportErrors,
  createImport,
  ImportErrorResponse,
  importErrorResponse,
  importType,
  LocationImportResponse,
  listImportErrors,
  locationImportResponse,
} from './location-import.ts';
import { acceptUploads, UploadedFile, uploadFolder } from './uploaded-file.ts';

const types = [importType];
const csv = 'text/csv; charset=utf-8';

const example = 'identifier;name;street;city;country;categories\nlindner-1;Lindner;Ring 1;Köln;DE;bakery\n';
const CsvFile = Type.String({
  description: 'CSV in UTF-8 with the columns of GET /api/location-imports/template.csv',
  examples: [example],
});
const UploadForm = Type.Object({
  file: Type.String({ format: 'binary', description: 'CSV file with a file name' }),
});

export function locationImportRoutes(server: FastifyInstance, { config, database }: Services): void {
  const found = async (caller: Caller, id: number) =>
    requireFound(await findTask(database.pool, taskConditions(caller, { types }), id), `location import ${id}`);

  server.register(async (scope) => {
    await acceptUploads(scope, {
      folder: uploadFolder(config.dataDir),
      maxBytes: config.uploadLimitMiB * 2 ** 20,
      needs: 'LOCATION_WRITE',
    });
    route(scope, {
      method: 'POST',
      path: '/api/location-imports',
      summary: 'Upload a CSV file of locations, as the body or as a form part',
      query: Type.Object({
        businessId: Type.Optional(Type.Integer({ ...Id, description: 'Business of new locations without businessId' })),
        dryRun,
      }),
      consumes: { 'multipart/form-data': UploadForm, 'text/csv': CsvFile },
      needs: 'LOCATION_WRITE',
      response: LocationImportResponse,
      problems: ['NOT_FOUND'],
      handler: async (request) => {
        const file = request.body as unknown;
        if (!(file instanceof UploadedFile)) {
          throw missingField('file', 'file is required. Send it as text/csv or multipart/form-data.');
        }
        try {
          return await idempotentTransaction(request, async (transaction) => {
            const task = await createImport(transaction, request.caller, file, request.query, request.grants);
            const response = locationImportResponse(task);
            request.warnings.push(...response.warnings);
            file.isClaimed = true;
            return response;
          });
        } catch (error) {
          file.isClaimed = false;
          throw error;
        }
      },
    });
  });

  route(server, {
    method: 'GET',
    path: '/api/location-imports',
    summary: 'List location imports, newest first',
    query: Type.Object(pageQuery),
    needs: 'LOCATION_READ',
    response: longListSchema('locationImports', LocationImportResponse),
    handler: async ({ caller, query }) => {
      const { offset, max, after } = query;
      const [counted, tasks] = await Promise.all([
        countTasks(database.pool, taskConditions(caller, { types })),
        listTasks(database.pool, taskConditions(caller, { types, ...(after !== undefined && { after }) }), {
          offset,
          limit: max + 1,
        }),
      ]);
      return longList('locationImports', query, counted, tasks, locationImportResponse);
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/location-imports/:id',
    summary: 'Get a location import with its progress and results',
    params: idParams,
    needs: 'LOCATION_READ',
    response: LocationImportResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) => locationImportResponse(await found(caller, id)),
  });

  route(server, {
    method: 'GET',
    path: '/api/location-imports/:id/errors',
    summary: 'List the errors of rejected rows, in file order',
    params: idParams,
    query: Type.Object(pageQuery),
    needs: 'LOCATION_READ',
    response: longListSchema('errors', ImportErrorResponse),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id }, query }) => {
      await found(caller, id);
      const [counted, errors] = await Promise.all([
        countImportErrors(database.pool, caller.partnerId, id),
        listImportErrors(database.pool, id, query),
      ]);
      return longList('errors', query, counted, errors, importErrorResponse);
    },
  });

  fileRoute(server, {
    path: '/api/location-imports/:id/errors.csv',
    summary: 'Download the errors as CSV: line, field, message and the original row',
    params: idParams,
    needs: 'LOCATION_READ',
    produces: ['text/csv'],
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) => {
      await found(caller, id);
      const content = Readable.from(errorsCsv(database.pool, id));
      return new FileResponse({ content, contentType: csv, name: `location-import-${id}-errors.csv` });
    },
  });

  fileRoute(server, {
    path: '/api/location-imports/template.csv',
    summary: 'Download a CSV template that describes every column',
    needs: 'LOCATION_READ',
    produces: ['text/csv'],
    handler: async () =>
      new FileResponse({ content: `\uFEFF${templateCsv()}`, contentType: csv, name: 'locations.csv' }),
  });

  route(server, {
    method: 'POST',
    path: '/api/location-imports/:id/cancel',
    summary: 'Cancel a location import; rows that were already imported are kept',
    params: idParams,
    needs: 'LOCATION_WRITE',
    response: LocationImportResponse,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) =>
        locationImportResponse(
          await cancelVisibleTask(transaction, request.caller, request.params.id, { types, noun: 'location import' }),
        ),
      ),
  });
}

/** Prevents CSV injection: https://owasp.org/www-community/attacks/CSV_Injection */
const escapeFormula = (text: string): string => (/^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text);

const pageSize = 1000;

/** Streams the errors of an import as CSV. */
async function* errorsCsv(sql: Sql, taskId: number): AsyncGenerator<string> {
  // Without a byte-order mark, spreadsheets assume a national code page.
  yield `\uFEFF${csvLine(['line', 'field', 'message', 'row'])}`;
  for (let after = 0; ; ) {
    const errors = await listImportErrors(sql, taskId, { after, offset: 0, max: pageSize });
    yield errors
      .map(({ line, field, message, row }) => csvLine([line, ...[field, message, row].map(escapeFormula)]))
      .join('');
    const last = errors.at(-1);
    if (!last || errors.length <= pageSize) return;
    after = last.id;
  }
}

const introduction = [
  'Upload locations with POST /api/location-imports. Lines that start with # before the header are ignored.',
  'UTF-8. Separate fields by comma, semicolon or tab, and list entries by |. Columns may be omitted or reordered.',
  `Every row requires ${requiredColumns.join(', ')} and the business. An empty cell keeps the value of the location.`,
  'A row with an opening time, or a closed day, replaces the opening hours of all days.',
  'A row updates the location with the same identifier. Without an identifier it updates the location of the same',
  'business with the same name and address. If there is none, a location is created.',
];

/** Comments that describe every column, and the header. */
function templateCsv(): string {
  const meanings = locationColumns.map(
    ({ name, meaning, example }) => `${name}: ${meaning}${example === '' ? '' : ` (${example})`}`,
  );
  const comments = [...introduction, ...meanings].map((text) => csvLine([`# ${text}`]));
  return comments.join('') + csvLine(locationColumns.map(({ name }) => name));
}
