import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { dryRun, writeTransaction } from '../../http/idempotency.ts';
import { Id } from '../../http/ids.ts';
import { route } from '../../http/route.ts';
import { nothingToChange } from '../../http/validation.ts';
import { requestedTransition } from './change-status.ts';
import { LocationChange } from './location.ts';
import { changeMany, maxBulkSize } from './location-bulk.ts';
import { bulkFilter } from './location-filter.ts';
import { StatusChange } from './location-routes.ts';

const ids = Type.Optional(Type.Array(Id, { minItems: 1, maxItems: maxBulkSize, description: 'Location ids' }));

/** Accepts "" as null in nested fields, as at the top level of a body. */
const blankable = <T extends object>(schemas: T): T =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      'pattern' in schema ? Type.Optional({ ...schema, pattern: `^$|${schema.pattern}` }) : schema,
    ]),
  ) as T;

const Changes = Type.Object(
  { ...blankable(LocationChange.properties), ...StatusChange },
  { title: 'LocationChanges', 'x-resource': 'Location' },
);

const BulkAnswer = Type.Object({
  updatedCount: Type.Integer(),
  failedCount: Type.Integer(),
  updatedIds: Type.Array(Type.Integer(), { description: 'Locations that now have the requested state' }),
  failed: Type.Array(
    Type.Object({
      id: Type.Integer(),
      status: Type.String(),
      message: Type.String(),
      errorCode: Type.Optional(Type.String()),
      errors: Type.Optional(
        Type.Array(Type.Object({ field: Type.String(), rule: Type.String(), message: Type.String() })),
      ),
    }),
  ),
});

export function locationBulkRoutes(server: FastifyInstance): void {
  route(server, {
    method: 'PATCH',
    path: '/api/locations',
    summary: `Apply the same change to many locations, at most ${maxBulkSize} per call`,
    needs: 'LOCATION_WRITE',
    query: Type.Object({ dryRun }),
    body: Type.Object({ ids, filter: bulkFilter, changes: Changes, dryRun }),
    response: BulkAnswer,
    problems: ['NOT_FOUND', 'CONFLICT', 'IDENTIFIER_NOT_UNIQUE'],
    handler: (request) =>
      writeTransaction(request, async (transaction) => {
        const { body } = request;
        const { status, endDate, ...patch } = withoutBlanks(body.changes);
        const known = Object.keys(Changes.properties);
        if (!known.some((name) => Object.hasOwn(body.changes, name))) throw nothingToChange(known, request.warnings);
        const move = requestedTransition(status, endDate);
        const outcome = await changeMany(transaction, request, body, { patch, ...(move && { move }) }, new Date());
        return counted(outcome);
      }),
  });

  route(server, {
    method: 'DELETE',
    path: '/api/locations',
    summary: 'Delete locations that are INACTIVE and whose end date has passed',
    needs: 'LOCATION_WRITE',
    query: Type.Object({ ids, dryRun }),
    body: Type.Object({ ids, filter: bulkFilter, dryRun }),
    response: BulkAnswer,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      writeTransaction(request, async (transaction) => {
        const { query, body } = request;
        const selection = query.ids ? { ids: query.ids } : body;
        return counted(await changeMany(transaction, request, selection, { move: { to: 'DELETED' } }, new Date()));
      }),
  });
}

const withoutBlanks = <T extends object>(changes: T): T =>
  Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, value === '' ? null : value])) as T;

const counted = ({ updatedIds, failed }: Awaited<ReturnType<typeof changeMany>>) => ({
  updatedCount: updatedIds.length,
  failedCount: failed.length,
  updatedIds,
  failed,
});
