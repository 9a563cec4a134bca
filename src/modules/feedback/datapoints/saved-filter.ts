import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { countAll } from '../../../database/counting.ts';
import { rejectDuplicate } from '../../../database/faults.ts';
import { db, pageById, raw } from '../../../database/query-builder.ts';
import type { DatapointFilters } from '../../../database/schema.ts';
import type { CallerUser } from '../../../http/access.ts';
import type { Caller } from '../../../http/authenticate.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import { deletableField } from '../../../http/validation.ts';
import { Problem, requireFound } from '../../../problems.ts';
import { DatapointFilter, type FilterField, filterFields } from './datapoint-filter.ts';

/** A named inbox filter. Without a user it is shared by the whole partner. */
export type SavedFilter = Omit<Selectable<DatapointFilters>, 'partnerId' | 'filter'> & { filter: DatapointFilter };

const name = Type.String({ pattern: '\\S', maxLength: 200, description: 'Name of the filter; must not be blank' });

export const NewFilter = Type.Object(
  { name, ...DatapointFilter.properties },
  { title: 'NewDataPointFilter', 'x-resource': 'DataPointFilter' },
);

export const FilterChange = Type.Object(
  {
    name: Type.Optional(name),
    ...Object.fromEntries(Object.entries(filterFields).map(([field, schema]) => [field, deletableField(schema)])),
  },
  { title: 'DataPointFilterChange', 'x-resource': 'DataPointFilter' },
) as unknown as FilterChangeSchema;

type FilterChangeSchema = Type.TObject<
  { name: Type.TOptional<typeof name> } & {
    [Field in FilterField]: Type.TOptional<Type.TUnsafe<Static<(typeof filterFields)[Field]> | null>>;
  }
>;

const maybeBoolean = (description: string) => Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description });

export const FilterResponse = Type.Object(
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

export const filterResponse = ({ filter, ...saved }: SavedFilter): Static<typeof FilterResponse> => ({
  id: saved.id,
  name: saved.name,
  shared: saved.userId === null,
  ...filter,
  isRead: filter.isRead ?? null,
  hasReply: filter.hasReply ?? null,
  hasText: filter.hasText ?? null,
  dateCreated: saved.dateCreated.toISOString(),
  lastUpdated: saved.lastUpdated.toISOString(),
});

/** Fields that are null are removed. */
export function changedFilter(filter: DatapointFilter, change: Partial<Record<FilterField, unknown>>): DatapointFilter {
  const merged = Object.entries({ ...filter, ...change }).filter(([, value]) => value !== null);
  return Object.fromEntries(merged) as DatapointFilter;
}

/** Versions that can express only "unread" or "all" send null for both "all" and "read": null does not clear `true`. */
export function ignoreUnexpressed(
  filter: DatapointFilter,
  change: Partial<Record<FilterField, unknown>>,
): Partial<Record<FilterField, unknown>> {
  const isExpressed = ([field, value]: [string, unknown]) => value !== null || filter[field as FilterField] !== true;
  return Object.fromEntries(Object.entries(change).filter(isExpressed));
}

/** Users change their own filters. Shared filters are changed by administrators and private keys. */
export const mayChange = ({ userId }: SavedFilter, user: CallerUser | undefined) =>
  !user || userId === user.id || (userId === null && user.role === 'ADMIN');

const columns = ['id', 'userId', 'name', 'filter', 'dateCreated', 'lastUpdated'] as const;

type Narrowed = Pick<SavedFilter, 'filter'>;

/** Private keys see all filters, users see shared filters and their own. */
function visible(sql: Sql, { partnerId, user }: Caller) {
  const filters = db(sql).selectFrom('datapointFilters').where('partnerId', '=', partnerId);
  return user ? filters.where((eb) => eb.or([eb('userId', 'is', null), eb('userId', '=', user.id)])) : filters;
}

export function listFilters(sql: Sql, caller: Caller, page: PageQuery): Promise<SavedFilter[]> {
  return pageById(visible(sql, caller).select(columns), page).$narrowType<Narrowed>().execute();
}

export const countFilters = (sql: Sql, caller: Caller): Promise<number> => countAll(visible(sql, caller));

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

export function insertFilter(
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

export function updateFilter(sql: Sql, id: number, name: string, filter: DatapointFilter): Promise<SavedFilter> {
  const saved = db(sql)
    .updateTable('datapointFilters')
    .set({ name, filter: JSON.stringify(filter), lastUpdated: raw`now()` })
    .where('id', '=', id)
    .returning(columns)
    .$narrowType<Narrowed>();
  return rejectDuplicateName(name, saved.executeTakeFirstOrThrow());
}

export async function deleteFilter(sql: Sql, id: number): Promise<void> {
  await db(sql).deleteFrom('datapointFilters').where('id', '=', id).execute();
}

const rejectDuplicateName = <T>(name: string, statement: Promise<T>): Promise<T> =>
  rejectDuplicate(statement, 'datapoint_filters_name', () => {
    const message = `A filter named "${name}" already exists. Update that filter or use another name.`;
    return new Problem('CONFLICT', { message });
  });
