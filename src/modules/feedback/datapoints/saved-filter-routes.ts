import type { FastifyInstance } from 'fastify';
import type { Selectable } from 'kysely';
import Type from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { countAll } from '../../../database/counting.ts';
import { rejectDuplicate } from '../../../database/faults.ts';
import { db, pageById, raw } from '../../../database/query-builder.ts';
import type { DatapointFilters } from '../../../database/schema.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { type CallerUser, reachOf } from '../../../http/access.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { idParams } from '../../../http/ids.ts';
import { pageOf, pageQuery, pageSchema } from '../../../http/pagination.ts';
import { deleteRoute, route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { deletableFields, requireChange } from '../../../http/validation.ts';
import { conflict, Problem, requireFound, unknownReference } from '../../../problems.ts';
import { changedText, normalizeText } from '../../../text.ts';
import { actorOf } from '../../accounts/index.ts';
import { readScope, requireAll } from '../../locations/index.ts';
import { listBrandPages } from '../brand-pages/brand-page-store.ts';
import { checkFilter, DatapointFilter, type FilterField, filterFields } from './datapoint-filter.ts';

/** A named inbox filter. Without a user it is shared by the whole partner. */
type SavedFilter = Omit<Selectable<DatapointFilters>, 'partnerId' | 'filter'> & { filter: DatapointFilter };

const name = Type.String({ pattern: '\\S', maxLength: 200, description: 'Name of the filter; must not be blank' });

const NewFilter = Type.Object(
  { name, ...DatapointFilter.properties },
  { title: 'NewDataPointFilter', 'x-resource': 'DataPointFilter' },
);

const FilterChange = Type.Object(
  { name: Type.Optional(name), ...deletableFields(filterFields) },
  { title: 'DataPointFilterChange', 'x-resource': 'DataPointFilter' },
);

const maybeBoolean = (description: string) => Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description });

const FilterResponse = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    shared: Type.Boolean({ description: 'Whether all users of the partner see the filter' }),
    ...DatapointFilter.properties,
    isRead: maybeBoolean('null matches read and unread datapoints'),
    hasReply: maybeBoolean('null matches datapoints with and without a reply'),
    hasText: maybeBoolean('true matches reviews with text, false reviews without text, null all datapoints'),
    dateCreated: Type.String(),
    lastUpdated: Type.String(),
  },
  { title: 'DataPointFilter', 'x-resource': 'DataPointFilter' },
);

const filterResponse = ({ id, name, userId, filter, dateCreated, lastUpdated }: SavedFilter) => ({
  id,
  name,
  shared: userId === null,
  isRead: null,
  hasReply: null,
  hasText: null,
  ...filter,
  dateCreated: dateCreated.toISOString(),
  lastUpdated: lastUpdated.toISOString(),
});

/** New values of fields. Null removes a field. */
type FieldChanges = Partial<Record<FilterField, unknown>>;

function changedFilter(filter: DatapointFilter, change: FieldChanges): DatapointFilter {
  const merged = Object.entries({ ...filter, ...change }).filter(([, value]) => value !== null);
  return Object.fromEntries(merged) as DatapointFilter;
}

/**
 * Throws if an added record does not exist or is not visible to the caller. Others are not checked, so that a deleted
 * location does not block other changes.
 */
async function checkReferences(
  sql: Sql,
  caller: Caller,
  filter: DatapointFilter,
  before: DatapointFilter = {},
): Promise<void> {
  const added = (field: 'locationIds' | 'businessIds' | 'directoryBusinessPageIds') =>
    filter[field]?.filter((id) => !before[field]?.includes(id)) ?? [];
  const [locationIds, businessIds] = [added('locationIds'), added('businessIds')];
  const ids = added('directoryBusinessPageIds');
  if (locationIds.length > 0) await readScope(sql, caller, { locationIds }, unknownReference);
  if (businessIds.length > 0) await readScope(sql, caller, { businessIds }, unknownReference);
  if (ids.length === 0) return;
  const visiblePages = { partnerId: caller.partnerId, reach: reachOf(caller), ids };
  const pages = await listBrandPages(sql, visiblePages, { offset: 0, max: ids.length });
  const found = pages.map(({ id }) => id);
  requireAll('directoryBusinessPageIds', 'brand page', ids, found, unknownReference);
}

/** Versions that can express only "unread" or "all" send null for both "all" and "read": null does not clear `true`. */
function ignoreUnexpressed(filter: DatapointFilter, change: FieldChanges): FieldChanges {
  const isExpressed = ([field, value]: [string, unknown]) => value !== null || filter[field as FilterField] !== true;
  return Object.fromEntries(Object.entries(change).filter(isExpressed));
}

/** Users change their own filters. Shared filters are changed by administrators and private keys. */
const mayChange = ({ userId }: SavedFilter, user: CallerUser | undefined) =>
  !user || userId === user.id || (userId === null && user.role === 'ADMIN');

const columns = ['id', 'userId', 'name', 'filter', 'dateCreated', 'lastUpdated'] as const;

type Narrowed = Pick<SavedFilter, 'filter'>;

/** Private keys see all filters, users see shared filters and their own. */
function visible(sql: Sql, { partnerId, user }: Caller) {
  const filters = db(sql).selectFrom('datapointFilters').where('partnerId', '=', partnerId);
  return user ? filters.where((eb) => eb.or([eb('userId', 'is', null), eb('userId', '=', user.id)])) : filters;
}

export async function requireFilter(
  sql: Sql,
  caller: Caller,
  id: number,
  lock: '' | 'for update' = '',
): Promise<SavedFilter> {
  const filter = await visible(sql, caller)
    .select(columns)
    .where('id', '=', id)
    .$if(lock === 'for update', (query) => query.forUpdate())
    .$narrowType<Narrowed>()
    .executeTakeFirst();
  return requireFound(filter, `filter ${id}`);
}

function insertFilter(
  sql: Sql,
  { partnerId, user }: Caller,
  name: string,
  filter: DatapointFilter,
): Promise<SavedFilter> {
  const saved = db(sql)
    .insertInto('datapointFilters')
    .values({ partnerId, userId: user?.id ?? null, name, filter: JSON.stringify(filter) })
    .returning(columns)
    .$narrowType<Narrowed>();
  return rejectDuplicateName(name, saved.executeTakeFirstOrThrow());
}

function updateFilter(sql: Sql, id: number, name: string, filter: DatapointFilter): Promise<SavedFilter> {
  const saved = db(sql)
    .updateTable('datapointFilters')
    .set({ name, filter: JSON.stringify(filter), lastUpdated: raw`now()` })
    .where('id', '=', id)
    .returning(columns)
    .$narrowType<Narrowed>();
  return rejectDuplicateName(name, saved.executeTakeFirstOrThrow());
}

const rejectDuplicateName = <T>(name: string, statement: Promise<T>): Promise<T> =>
  rejectDuplicate(statement, 'datapoint_filters_name', () => {
    const message = `A filter named "${name}" already exists. Update that filter or use another name.`;
    return conflict('name', 'unique', message);
  });

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
      const found = visible(database.pool, caller);
      const [count, filters] = await Promise.all([
        countAll(found),
        pageById(found.select(columns), query).$narrowType<Narrowed>().execute(),
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
        await checkReferences(transaction, request.caller, filter);
        const saved = await insertFilter(transaction, request.caller, normalizeText(name), filter);
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
      handler: ({ caller, grants, params: { id }, body, warnings }) => {
        requireChange(body, FilterChange.properties, warnings);
        const { name, ...fields } = body;
        return database.transaction(async (transaction) => {
          const saved = await requireEditableFilter(transaction, caller, id);
          const expressed = grants.has('ONLY_UNREAD_OR_ALL') ? ignoreUnexpressed(saved.filter, fields) : fields;
          const filter = changedFilter(saved.filter, expressed);
          checkFilter(filter);
          await checkReferences(transaction, caller, filter, saved.filter);
          const changed = await updateFilter(transaction, id, changedText(saved.name, name) ?? saved.name, filter);
          await audit(transaction, caller, 'UPDATED', changed);
          return filterResponse(changed);
        });
      },
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
      await db(transaction).deleteFrom('datapointFilters').where('id', '=', id).execute();
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
