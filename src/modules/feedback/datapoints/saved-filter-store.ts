import type { Sql } from '../../../database/connection.ts';
import { countAll } from '../../../database/counting.ts';
import { rejectDuplicate } from '../../../database/faults.ts';
import { db, pageById, raw } from '../../../database/query-builder.ts';
import type { Caller } from '../../../http/authenticate.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import { Problem, requireFound } from '../../../problems.ts';
import type { DatapointFilter } from './datapoint-filter.ts';
import type { SavedFilter } from './saved-filter.ts';

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
