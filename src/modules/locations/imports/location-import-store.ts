import type { Sql } from '../../../database/connection.ts';
import { type Counted, countRows } from '../../../database/counting.ts';
import { db, raw } from '../../../database/query-builder.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import type { ImportError } from './location-import.ts';

export async function insertImportErrors(sql: Sql, taskId: number, errors: readonly ImportError[]): Promise<void> {
  if (errors.length === 0) return;
  await run(sql, insertErrors, [
    taskId,
    errors.map(({ line }) => line),
    errors.map(({ field }) => field),
    errors.map(({ message }) => message),
    errors.map(({ identifier }) => identifier),
    errors.map(({ row }) => row),
  ]);
}

const insertErrors = defineStatement({
  name: 'insert-location-import-errors',
  text: `insert into location_import_errors (task_id, line, field, message, identifier, raw)
         select $1, error.* from unnest($2::integer[], $3::text[], $4::text[], $5::text[], $6::text[]) as error`,
});

const errorsOf = (sql: Sql, taskId: number) => db(sql).selectFrom('locationImportErrors').where('taskId', '=', taskId);

/** In file order. */
export function listImportErrors(
  sql: Sql,
  taskId: number,
  page: { after: number; offset: number; limit: number },
): Promise<(ImportError & { id: number })[]> {
  const last = errorsOf(sql, taskId).select('line').where('id', '=', page.after);
  return errorsOf(sql, taskId)
    .select(['id', 'line', 'field', 'message', 'identifier', 'raw as row'])
    .where(({ refTuple }) => raw`${refTuple('line', 'id')} > (coalesce(${last}, 0), ${page.after}::bigint)`)
    .orderBy('line')
    .orderBy('id')
    .offset(page.offset)
    .limit(page.limit)
    .execute();
}

export function countImportErrors(sql: Sql, partnerId: number, taskId: number): Promise<Counted> {
  const rows = errorsOf(sql, taskId);
  return countRows(sql, { table: 'locationImportErrors', partnerId, rows, all: rows });
}
