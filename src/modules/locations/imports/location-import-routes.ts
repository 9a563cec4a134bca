import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Caller } from '../../../http/authenticate.ts';
import { dryRun } from '../../../http/dry-run.ts';
import { FileResponse, fileRoute } from '../../../http/file-route.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { Id, idParams } from '../../../http/ids.ts';
import { longList, longListSchema } from '../../../http/long-list.ts';
import { pageQuery } from '../../../http/pagination.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { taskConditions } from '../../../jobs/tasks/task.ts';
import { countTasks, findTask, listTasks } from '../../../jobs/tasks/task-store.ts';
import { notFound, Problem } from '../../../problems.ts';
import { cancelVisibleTask } from '../../accounts/index.ts';
import { createImport } from './create-import.ts';
import { errorsCsv } from './errors-csv.ts';
import {
  ImportErrorAnswer,
  importErrorAnswer,
  importType,
  LocationImportAnswer,
  locationImportAnswer,
} from './location-import.ts';
import { countImportErrors, listImportErrors } from './location-import-store.ts';
import { templateCsv } from './template-csv.ts';
import { acceptUploads } from './upload-body.ts';
import { UploadedFile, uploadFolder } from './uploaded-file.ts';

const types = [importType];
const csv = 'text/csv; charset=utf-8';

const example = 'identifier;name;street;city;country;categories\nlindner-1;Lindner;Ring 1;Köln;DE;bakery\n';
const CsvFile = Type.String({
  description: 'In UTF-8, with the columns of GET /api/location-imports/template.csv',
  examples: [example],
});
const UploadForm = Type.Object({
  file: Type.String({ format: 'binary', description: 'The CSV file, with its name' }),
});

export function locationImportRoutes(server: FastifyInstance, { config, database }: Services): void {
  const found = async (caller: Caller, id: number) => {
    const task = await findTask(database.pool, taskConditions(caller, { types }), id);
    if (!task) throw notFound(`location import ${id}`);
    return task;
  };

  server.register(async (scope) => {
    await acceptUploads(scope, {
      folder: uploadFolder(config.dataDir),
      mostBytes: config.uploadLimitMiB * 2 ** 20,
      needs: 'LOCATION_WRITE',
    });
    route(scope, {
      method: 'POST',
      path: '/api/location-imports',
      summary: 'Upload a CSV file of locations, as the body or as the file of a form',
      query: Type.Object({
        businessId: Type.Optional(Type.Integer({ ...Id, description: 'The business of rows that name none' })),
        dryRun,
      }),
      consumes: { 'multipart/form-data': UploadForm, 'text/csv': CsvFile },
      needs: 'LOCATION_WRITE',
      response: LocationImportAnswer,
      problems: ['NOT_FOUND'],
      handler: async (request) => {
        const file = request.body as unknown;
        if (!(file instanceof UploadedFile)) throw noFile();
        try {
          return await idempotentTransaction(request, async (transaction) => {
            const task = await createImport(transaction, request.caller, file, request.query, request.grants);
            const answer = locationImportAnswer(task);
            request.warnings.push(...answer.warnings);
            file.isTaken = true;
            return answer;
          });
        } catch (error) {
          file.isTaken = false;
          throw error;
        }
      },
    });
  });

  route(server, {
    method: 'GET',
    path: '/api/location-imports',
    summary: 'Uploads of locations, the newest first',
    query: Type.Object(pageQuery),
    needs: 'LOCATION_READ',
    response: longListSchema('locationImports', LocationImportAnswer),
    handler: async ({ caller, query }) => {
      const { offset, max, after } = query;
      const [counted, tasks] = await Promise.all([
        countTasks(database.pool, taskConditions(caller, { types })),
        listTasks(database.pool, taskConditions(caller, { types, ...(after !== undefined && { after }) }), {
          offset,
          limit: max + 1,
        }),
      ]);
      return longList('locationImports', query, counted, tasks, locationImportAnswer);
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/location-imports/:id',
    summary: 'An upload, how far it has come and what came of its rows',
    params: idParams,
    needs: 'LOCATION_READ',
    response: LocationImportAnswer,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) => locationImportAnswer(await found(caller, id)),
  });

  route(server, {
    method: 'GET',
    path: '/api/location-imports/:id/errors',
    summary: 'What is wrong with the rows that were not taken, in the order of the file',
    params: idParams,
    query: Type.Object(pageQuery),
    needs: 'LOCATION_READ',
    response: longListSchema('errors', ImportErrorAnswer),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id }, query }) => {
      await found(caller, id);
      const { offset, max, after = 0 } = query;
      const [counted, errors] = await Promise.all([
        countImportErrors(database.pool, id),
        listImportErrors(database.pool, id, { after, offset, limit: max + 1 }),
      ]);
      return longList('errors', query, counted, errors, importErrorAnswer);
    },
  });

  fileRoute(server, {
    path: '/api/location-imports/:id/errors.csv',
    summary: 'The same as a file: line, field, message and the row as it was given',
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
    summary: 'Every column that an upload may have, with its meaning',
    needs: 'LOCATION_READ',
    produces: ['text/csv'],
    handler: async () =>
      new FileResponse({ content: `\uFEFF${templateCsv()}`, contentType: csv, name: 'locations.csv' }),
  });

  route(server, {
    method: 'POST',
    path: '/api/location-imports/:id/cancel',
    summary: 'Stop an upload: rows that were taken stay',
    params: idParams,
    needs: 'LOCATION_WRITE',
    response: LocationImportAnswer,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) =>
        locationImportAnswer(
          await cancelVisibleTask(transaction, request.caller, request.params.id, { types, what: 'location import' }),
        ),
      ),
  });
}

const noFile = () =>
  new Problem('MISSING_PARAMETER', {
    errors: [
      {
        field: 'file',
        rule: 'required',
        message: 'There is no file. Send it as text/csv, or in a form as multipart/form-data.',
      },
    ],
  });
