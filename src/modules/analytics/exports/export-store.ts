import type { Sql } from '../../../database/connection.ts';
import { notMoving } from '../../../database/partner-moves.ts';
import { anyOf, db, inSeconds, raw } from '../../../database/query-builder.ts';
import type { Task, TaskFilter } from '../../../jobs/tasks/task.ts';
import { findTask, listTasks } from '../../../jobs/tasks/task-store.ts';
import type { Export } from './export.ts';
import type { ExportFormat } from './export-request.ts';

export async function insertExport(
  sql: Sql,
  { id, partnerId }: Task,
  { name, format }: { name: string; format: ExportFormat },
): Promise<void> {
  await db(sql).insertInto('exports').values({ id, partnerId, name, format }).execute();
}

export async function findExport(sql: Sql, tasks: TaskFilter, id: number): Promise<Export | undefined> {
  const task = await findTask(sql, tasks, id);
  return task && (await withFiles(sql, [task]))[0];
}

/** Newest first. */
export async function listExports(
  sql: Sql,
  tasks: TaskFilter,
  page: { offset: number; limit: number },
): Promise<Export[]> {
  return withFiles(sql, await listTasks(sql, tasks, page));
}

async function withFiles(sql: Sql, tasks: readonly Task[]): Promise<Export[]> {
  const ids = tasks.map(({ id }) => id);
  const rows = await db(sql)
    .selectFrom('exports')
    .select(['id', 'name', 'format', 'fileName', 'sizeBytes', 'expiresAt'])
    .where('id', '=', anyOf(ids, 'bigint'))
    .$narrowType<Pick<Export, 'format'>>()
    .execute();
  const files = new Map(rows.map((row) => [row.id, row]));
  return tasks.flatMap((task) => {
    const file = files.get(task.id);
    return file ? [{ ...task, ...file }] : [];
  });
}

export async function renameExport(sql: Sql, id: number, name: string): Promise<void> {
  await db(sql).updateTable('exports').set({ name }).where('id', '=', id).execute();
}

export async function setFile(
  sql: Sql,
  id: number,
  { fileName, sizeBytes, keptSeconds }: { fileName: string; sizeBytes: number; keptSeconds: number },
): Promise<void> {
  await db(sql)
    .updateTable('exports')
    .set({ fileName, sizeBytes, expiresAt: inSeconds(keptSeconds) })
    .where('id', '=', id)
    .execute();
}

/** Detaches the file from the export and returns its name. */
export async function detachFile(sql: Sql, id: number): Promise<string[]> {
  const detached = await db(sql)
    .updateTable('exports')
    .set({ fileName: null })
    .from(({ selectFrom }) => selectFrom('exports').select('fileName').where('id', '=', id).forUpdate().as('was'))
    .where('id', '=', id)
    .where('was.fileName', 'is not', null)
    .returning('was.fileName')
    .$narrowType<{ fileName: string }>()
    .execute();
  return detached.map(({ fileName }) => fileName);
}

/** Detaches expired files and returns their names. */
export async function detachExpiredFiles(sql: Sql, limit: number): Promise<string[]> {
  const detached = await db(sql)
    .updateTable('exports')
    .set({ fileName: null })
    .from(({ selectFrom }) =>
      selectFrom('exports')
        .select(['id', 'fileName'])
        .where('fileName', 'is not', null)
        .where('expiresAt', '<', raw<Date>`now()`)
        .where(notMoving('partner_id'))
        .orderBy('expiresAt')
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .as('old'),
    )
    .whereRef('exports.id', '=', 'old.id')
    .returning('old.fileName')
    .$narrowType<{ fileName: string }>()
    .execute();
  return detached.map(({ fileName }) => fileName);
}
