import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { reachOf } from '../../../http/access.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { dryRun, writeTransaction } from '../../../http/idempotency.ts';
import { Id, idParams } from '../../../http/ids.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { requireChange } from '../../../http/validation.ts';
import { notFound, requireFound } from '../../../problems.ts';
import {
  DatapointResponse,
  datapointFields,
  datapointResponse,
  fieldMask,
  MaskedDatapoint,
  readFieldMask,
} from './datapoint.ts';
import { findDatapoint, type Marks, markDatapoints, type Viewer } from './datapoint-store.ts';
import { repliesOf } from './reply-store.ts';

const marks = {
  read: Type.Optional(Type.Boolean()),
  liked: Type.Optional(Type.Boolean()),
  flagged: Type.Optional(Type.Boolean({ description: 'Flagged for review' })),
};

const BulkResponse = Type.Object({
  updatedCount: Type.Integer(),
  failedCount: Type.Integer(),
  updatedIds: Type.Array(Type.Integer()),
  failed: Type.Array(Type.Object({ id: Type.Integer(), status: Type.String(), message: Type.String() })),
});

export function datapointRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/data-points/:id',
    summary: 'Get a datapoint with its replies',
    needs: 'INBOX_READ',
    params: idParams,
    query: Type.Object({ fieldMask }),
    response: MaskedDatapoint,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id }, query }) => {
      const fields = readFieldMask(query.fieldMask, datapointFields);
      return readResponse(database.pool, viewerOf(caller), id, fields);
    },
  });

  route(server, {
    method: 'PATCH',
    path: '/api/data-points/:id',
    summary: 'Set or clear the read, liked and flagged marks of a datapoint',
    needs: 'INBOX_WRITE',
    params: idParams,
    body: Type.Object(marks),
    response: DatapointResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id }, body, warnings }) => {
      requireChange(body, marks, warnings);
      return database.transaction((transaction) => mark(transaction, viewerOf(caller), id, body));
    },
  });

  route(server, {
    method: 'PATCH',
    path: '/api/data-points',
    summary: 'Mark up to 1,000 datapoints',
    needs: 'INBOX_WRITE',
    query: Type.Object({ dryRun }),
    body: Type.Object({ ids: Type.Array(Id, { minItems: 1, maxItems: 1000 }), ...marks, dryRun }),
    response: BulkResponse,
    problems: ['NOT_FOUND'],
    handler: async (request) => {
      const { ids, dryRun: _, ...given } = request.body;
      requireChange(given, marks, request.warnings);
      const updatedIds = await writeTransaction(request, (transaction) =>
        markDatapoints(transaction, viewerOf(request.caller), ids, given),
      );
      const updated = new Set(updatedIds);
      const failed = [...new Set(ids)]
        .filter((id) => !updated.has(id))
        .map((id) => ({ id, status: 'NOT_FOUND', message: notFound(`datapoint ${id}`).message }));
      return { updatedCount: updatedIds.length, failedCount: failed.length, updatedIds, failed };
    },
  });

  const toggles = [
    { segment: 'like', mark: 'liked', set: 'Like a datapoint', clear: 'Remove a like' },
    { segment: 'flag', mark: 'flagged', set: 'Flag a datapoint for review', clear: 'Remove a flag' },
  ] as const;
  for (const { segment, mark: name, set, clear } of toggles) {
    for (const method of ['POST', 'DELETE'] as const) {
      const value = method === 'POST';
      route(server, {
        method,
        path: `/api/data-points/:id/${segment}`,
        summary: value ? set : clear,
        needs: 'INBOX_WRITE',
        params: idParams,
        response: DatapointResponse,
        problems: ['NOT_FOUND'],
        handler: (request) =>
          writeTransaction(request, (transaction) =>
            mark(transaction, viewerOf(request.caller), request.params.id, { [name]: value }),
          ),
      });
    }
  }
}

export const viewerOf = (caller: Caller): Viewer => ({ partnerId: caller.partnerId, reach: reachOf(caller) });

async function mark(sql: Sql, viewer: Viewer, id: number, given: Marks): Promise<Static<typeof DatapointResponse>> {
  await markDatapoints(sql, viewer, [id], given);
  return readResponse(sql, viewer, id);
}

async function readResponse(
  sql: Sql,
  viewer: Viewer,
  id: number,
  fields?: ReadonlySet<string>,
): Promise<Static<typeof DatapointResponse>> {
  const datapoint = requireFound(await findDatapoint(sql, viewer, id), `datapoint ${id}`);
  return datapointResponse(datapoint, (await repliesOf(sql, [id])).get(id) ?? [], fields);
}
