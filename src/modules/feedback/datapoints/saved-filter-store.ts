import type { Sql } from '../../../database/connection.ts';
import { violates } from '../../../database/faults.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { notFound, Problem } from '../../../problems.ts';
import type { DatapointFilter } from './datapoint-filter.ts';
import type { SavedFilter } from './saved-filter.ts';

const columns = 'id, user_id as "userId", name, filter, date_created as "dateCreated", last_updated as "lastUpdated"';

// Private keys see all filters, users see shared filters and their own.
const visible = 'partner_id = $1 and ($2::bigint is null or user_id is null or user_id = $2)';

const viewerValues = ({ partnerId, user }: Caller) => [partnerId, user?.id ?? null];

export async function listFilters(
  sql: Sql,
  caller: Caller,
  page: { offset: number; max: number; after?: number },
): Promise<SavedFilter[]> {
  const { rows } = await sql.query<SavedFilter>(
    `select ${columns} from datapoint_filters where ${visible} and id > $3 order by id offset $4 limit $5`,
    [...viewerValues(caller), page.after ?? 0, page.offset, page.max],
  );
  return rows;
}

export async function countFilters(sql: Sql, caller: Caller): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `select count(*) from datapoint_filters where ${visible}`,
    viewerValues(caller),
  );
  return rows[0]?.count ?? 0;
}

export async function requireFilter(sql: Sql, caller: Caller, id: number, lock = ''): Promise<SavedFilter> {
  const { rows } = await sql.query<SavedFilter>(
    `select ${columns} from datapoint_filters where ${visible} and id = $3 ${lock}`,
    [...viewerValues(caller), id],
  );
  if (!rows[0]) throw notFound(`filter ${id}`);
  return rows[0];
}

export const lockFilter = (sql: Sql, caller: Caller, id: number) => requireFilter(sql, caller, id, 'for update');

export async function insertFilter(
  sql: Sql,
  caller: Caller,
  name: string,
  filter: DatapointFilter,
): Promise<SavedFilter> {
  const { rows } = await rejectDuplicateName(
    name,
    sql.query<SavedFilter>(
      `insert into datapoint_filters (partner_id, user_id, name, filter) values ($1, $2, $3, $4) returning ${columns}`,
      [...viewerValues(caller), name, JSON.stringify(filter)],
    ),
  );
  return rows[0] as SavedFilter;
}

export async function updateFilter(sql: Sql, id: number, name: string, filter: DatapointFilter): Promise<SavedFilter> {
  const { rows } = await rejectDuplicateName(
    name,
    sql.query<SavedFilter>(
      `update datapoint_filters set name = $2, filter = $3, last_updated = now() where id = $1 returning ${columns}`,
      [id, name, JSON.stringify(filter)],
    ),
  );
  return rows[0] as SavedFilter;
}

export async function deleteFilter(sql: Sql, id: number): Promise<void> {
  await sql.query('delete from datapoint_filters where id = $1', [id]);
}

async function rejectDuplicateName<T>(name: string, statement: Promise<T>): Promise<T> {
  try {
    return await statement;
  } catch (error) {
    if (!violates(error, 'datapoint_filters_name')) throw error;
    throw new Problem('CONFLICT', {
      message: `A filter named "${name}" already exists. Update that filter or use another name.`,
    });
  }
}
