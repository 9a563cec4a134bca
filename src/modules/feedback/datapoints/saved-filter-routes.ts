import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Transaction } from '../../../database/transaction.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { idParams } from '../../../http/ids.ts';
import { pageOf, pageQuery, pageSchema } from '../../../http/pagination.ts';
import { deleteRoute, route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { nothingToChange } from '../../../http/validation.ts';
import { Problem } from '../../../problems.ts';
import { actorOf } from '../../accounts/index.ts';
import { checkFilter } from './datapoint-filter.ts';
import {
  changedFilter,
  countFilters,
  deleteFilter,
  FilterChange,
  FilterResponse,
  filterResponse,
  ignoreUnexpressed,
  insertFilter,
  listFilters,
  mayChange,
  NewFilter,
  requireFilter,
  type SavedFilter,
  updateFilter,
} from './saved-filter.ts';

const path = '/api/data-points/filters';

export function savedFilterRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path,
    summary: 'List saved filters of the inbox: shared ones and your own',
    needs: 'INBOX_READ',
    query: Type.Object(pageQuery),
    response: pageSchema('filters', FilterResponse),
    handler: async ({ caller, query }) => {
      const [count, filters] = await Promise.all([
        countFilters(database.pool, caller),
        listFilters(database.pool, caller, query),
      ]);
      return pageOf('filters', query, count, filters.map(filterResponse));
    },
  });

  route(server, {
    method: 'POST',
    path,
    summary: 'Save a filter. Filters created with the private key are shared',
    needs: 'INBOX_READ',
    body: NewFilter,
    response: FilterResponse,
    problems: ['CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { name, ...filter } = request.body;
        checkFilter(filter);
        const saved = await insertFilter(transaction, request.caller, name.trim(), filter);
        await audit(transaction, request.caller, 'CREATED', saved);
        return filterResponse(saved);
      }),
  });

  route(server, {
    method: 'GET',
    path: `${path}/:id`,
    summary: 'Get a saved filter',
    needs: 'INBOX_READ',
    params: idParams,
    response: FilterResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) => filterResponse(await requireFilter(database.pool, caller, id)),
  });

  const change = (
    { caller, grants }: Pick<FastifyRequest, 'grants'> & { caller: Caller },
    id: number,
    { name, ...fields }: Static<typeof FilterChange>,
  ) => {
    if (name === undefined && Object.keys(fields).length === 0) {
      throw nothingToChange(Object.keys(FilterChange.properties));
    }
    return database.transaction(async (transaction) => {
      const saved = await requireEditableFilter(transaction, caller, id);
      const expressed = grants.has('ONLY_UNREAD_OR_ALL') ? ignoreUnexpressed(saved.filter, fields) : fields;
      const filter = changedFilter(saved.filter, expressed);
      checkFilter(filter);
      const changed = await updateFilter(transaction, id, name?.trim() ?? saved.name, filter);
      await audit(transaction, caller, 'UPDATED', changed);
      return filterResponse(changed);
    });
  };
  for (const method of ['PUT', 'PATCH'] as const) {
    route(server, {
      method,
      path: `${path}/:id`,
      summary: 'Update a saved filter',
      needs: 'INBOX_READ',
      params: idParams,
      body: FilterChange,
      response: FilterResponse,
      problems: ['NOT_FOUND', 'CONFLICT'],
      handler: (request) => change(request, request.params.id, request.body),
    });
  }

  deleteRoute(server, {
    path: `${path}/:id`,
    summary: 'Delete a saved filter',
    needs: 'INBOX_READ',
    params: idParams,
    problems: ['NOT_FOUND'],
    remove: async (transaction, { caller, params: { id } }) => {
      const saved = await requireEditableFilter(transaction, caller, id);
      await deleteFilter(transaction, id);
      await audit(transaction, caller, 'DELETED', saved);
    },
  });
}

async function requireEditableFilter(transaction: Transaction, caller: Caller, id: number): Promise<SavedFilter> {
  const saved = await requireFilter(transaction, caller, id, 'for update');
  if (mayChange(saved, caller.user)) return saved;
  throw new Problem('FORBIDDEN', {
    message: `Filter ${id} is shared. Only an administrator can change it. Save a filter of your own instead.`,
  });
}

const audit = (transaction: Transaction, caller: Caller, action: string, { id, name }: SavedFilter) =>
  recordAudit(transaction, actorOf(caller), action, 'DATAPOINT_FILTER', id, { name });
