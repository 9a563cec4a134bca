import type { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import type { Task } from '../../../jobs/tasks/task.ts';
import { findTask, listTasks } from '../../../jobs/tasks/task-store.ts';
import type { Export } from './export.ts';
import type { ExportFormat } from './export-request.ts';

type FileFields = Pick<Export, 'name' | 'format' | 'fileName' | 'sizeBytes' | 'expiresAt'>;

const columns = `name, format, file_name as "fileName", size_bytes as "sizeBytes", expires_at as "expiresAt"`;

export async function insertExport(
  sql: Sql,
  { id, partnerId }: Task,
  { name, format }: { name: string; format: ExportFormat },
): Promise<void> {
  await sql.query('insert into exports (id, partner_id, name, format) values ($1, $2, $3, $4)', [
    id,
    partnerId,
    name,
    format,
  ]);
}

export async function findExport(sql: Sql, tasks: Conditions, id: number): Promise<Export | undefined> {
  const task = await findTask(sql, tasks, id);
  return task && (await withFiles(sql, [task]))[0];
}

/** Newest first. */
export async function listExports(
  sql: Sql,
  tasks: Conditions,
  page: { offset: number; limit: number },
): Promise<Export[]> {
  return withFiles(sql, await listTasks(sql, tasks, page));
}

async function withFiles(sql: Sql, tasks: readonly Task[]): Promise<Export[]> {
  const { rows } = await sql.query<FileFields & { id: number }>(
    `select id, ${columns} from exports where id = any ($1::bigint[])`,
    [tasks.map(({ id }) => id)],
  );
  const files = new Map(rows.map((row) => [row.id, row]));
  return tasks.flatMap((task) => {
    const file = files.get(task.id);
    return file ? [{ ...task, ...file }] : [];
  });
}

export async function renameExport(sql: Sql, id: number, name: string): Promise<void> {
  await sql.query('update exports set name = $2 where id = $1', [id, name]);
}

export async function setFile(
  sql: Sql,
  id: number,
  { fileName, sizeBytes, keptSeconds }: { fileName: string; sizeBytes: number; keptSeconds: number },
): Promise<void> {
  await sql.query(
    `update exports set file_name = $2, size_bytes = $3, expires_at = now() + make_interval(secs => $4) where id = $1`,
    [id, fileName, sizeBytes, keptSeconds],
  );
}

/** Detaches the file from the export and returns its name. */
export async function detachFile(sql: Sql, id: number): Promise<string[]> {
  const { rows } = await sql.query<{ fileName: string }>(
    `update exports set file_name = null from (select file_name from exports where id = $1 for update) as was
     where id = $1 and was.file_name is not null returning was.file_name as "fileName"`,
    [id],
  );
  return rows.map(({ fileName }) => fileName);
}

/** Detaches expired files and returns their names. */
export async function detachExpiredFiles(sql: Sql, limit: number): Promise<string[]> {
  const { rows } = await sql.query<{ fileName: string }>(
    `update exports set file_name = null
     from (
       select id, file_name from exports where file_name is not null and expires_at < now()
       order by expires_at limit $1 for update skip locked
     ) as old
     where exports.id = old.id returning old.file_name as "fileName"`,
    [limit],
  );
  return rows.map(({ fileName }) => fileName);
}
