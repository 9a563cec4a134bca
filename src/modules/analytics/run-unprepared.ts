import type { Sql } from '../../database/connection.ts';
import { run, type Statement } from '../../database/statement.ts';

/** Plans the statement for its values: lists of locations and days differ in length by orders of magnitude. */
export const runUnprepared = <Row extends object>(
  sql: Sql,
  statement: Statement<Row>,
  values: readonly unknown[],
): Promise<Row[]> => run(sql, { ...statement, name: '' }, values);
