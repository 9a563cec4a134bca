import type { Sql } from '../database/connection.ts';
import { db } from '../database/query-builder.ts';

/** A value that all processes of the installation share. */
export async function findValue(sql: Sql, name: string): Promise<string | undefined> {
  const row = await db(sql).selectFrom('installation').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

/** Returns false if the name has a value already: of concurrent processes, one adds it. */
export async function addValue(sql: Sql, name: string, value: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db(sql)
    .insertInto('installation')
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export async function setValue(sql: Sql, name: string, value: string): Promise<void> {
  await db(sql)
    .insertInto('installation')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}
