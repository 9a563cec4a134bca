import { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countMatching } from '../../../database/counting.ts';
import type { ImportError } from './location-import.ts';

export async function insertImportErrors(sql: Sql, taskId: number, errors: readonly ImportError[]): Promise<void> {
  if (errors.length === 0) return;
  await sql.query(
    `insert into location_import_errors (task_id, line, field, message, identifier, raw)
     select $1, error.* from unnest($2::integer[], $3::text[], $4::text[], $5::text[], $6::text[]) as error`,
    [
      taskId,
      errors.map(({ line }) => line),
      errors.map(({ field }) => field),
      errors.map(({ message }) => message),
      errors.map(({ identifier }) => identifier),
      errors.map(({ row }) => row),
    ],
  );
}

/** In file order. */
export async function listImportErrors(
  sql: Sql,
  taskId: number,
  page: { after: number; offset: number; limit: number },
): Promise<(ImportError & { id: number })[]> {
  const { rows } = await sql.query<ImportError & { id: number }>(
    `select id, line, field, message, identifier, raw as row from location_import_errors
     where task_id = $1 and (line, id) > (
       coalesce((select line from location_import_errors where task_id = $1 and id = $2), 0), $2)
     order by line, id offset $3 limit $4`,
    [taskId, page.after, page.offset, page.limit],
  );
  return rows;
}

export const countImportErrors = (sql: Sql, taskId: number): Promise<Counted> =>
  countMatching(sql, 'location_import_errors', new Conditions(taskId).add(ofTask), ofTask);

const ofTask = 'task_id = $1';
