import type { Sql } from './connection.ts';

/** Types of result columns by their PostgreSQL names; arrays end with `[]`. */
type ColumnType =
  | 'int2'
  | 'int4'
  | 'int8'
  | 'float4'
  | 'float8'
  | 'numeric'
  | 'text'
  | 'bool'
  | 'timestamptz'
  | 'date'
  | 'json'
  | 'jsonb'
  | 'bytea';

/** Camel-case names of the result columns, in their order. */
type Columns<Row> = { readonly [Name in keyof Row & string]-?: ColumnType | `${ColumnType}[]` };

/** A statement in plain SQL. test/statements.test.ts compares it with the schema, and its result with `columns`. */
export interface Statement<Row> {
  name: string;
  text: string;
  columns: Columns<Row>;
}

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The select list for result columns that have the names of the table's columns. */
export const selectionOf = (columns: object, table = ''): string =>
  Object.keys(columns)
    .map((name) => `${table && `${table}.`}${snakeCase(name)}`)
    .join(', ');

// biome-ignore lint/suspicious/noExplicitAny: statements of every row type
export const definedStatements = new Map<string, Statement<any>>();

/** For hot statements, which are prepared once per connection, and for SQL that the query builder cannot express. */
export function defineStatement(statement: { name: string; text: string }): Statement<Record<never, never>>;
export function defineStatement<Row extends object>(statement: Statement<Row>): Statement<Row>;
export function defineStatement(definition: { name: string; text: string }): Statement<Record<never, never>> {
  const statement = { columns: {}, ...definition };
  if (definedStatements.has(statement.name)) throw new Error(`The statement ${statement.name} is defined twice.`);
  definedStatements.set(statement.name, statement);
  return statement;
}

/** One array of values per column, for `unnest`. */
export const columnsOf = <Row>(rows: readonly Row[], ...names: (keyof Row)[]): unknown[][] =>
  names.map((name) => rows.map((row) => row[name]));

/** `('A', 'B')`: constants as literals, because the planner uses a partial index only if it sees the values. */
export const textList = (values: readonly string[]): string => `(${values.map((value) => `'${value}'`).join(', ')})`;

// By `columns`, which several statements can share.
const readers = new WeakMap<object, (row: unknown) => unknown>();

export async function run<Row extends object>(
  sql: Sql,
  { name, text, columns }: Statement<Row>,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const reader = readers.get(columns) ?? rowReader(Object.keys(columns).map((column, index) => [column, index]));
  readers.set(columns, reader);
  const { rows } = await sql.query<unknown[]>({ name, text, values: [...values], rowMode: 'array' });
  return rows.map(reader as (row: unknown) => Row);
}

/** A function that runs the statement. Its arguments are the values, in their order. */
export function defineQuery<Values extends readonly unknown[], Row extends object, On extends Sql = Sql>(
  definition: Statement<Row>,
) {
  const statement = defineStatement<Row>(definition);
  return (sql: On, ...values: Values): Promise<Row[]> => run(sql, statement, values);
}

/** Plans the statement for its values: for lists whose lengths differ by orders of magnitude. */
export const runUnprepared = <Row extends object>(
  sql: Sql,
  statement: Statement<Row>,
  values: readonly unknown[],
): Promise<Row[]> => run(sql, { ...statement, name: '' }, values);

/** Source of a property: its index in an array, or its name in an object. */
type Sources = readonly (readonly [property: string, source: number | string])[];

/** Generates a function that returns an object literal: a tenth of the time of assigning properties in a loop. */
export function rowReader<Row>(sources: Sources): (row: unknown) => Row {
  const properties = sources.map(([property, source]) => `${JSON.stringify(property)}: row[${JSON.stringify(source)}]`);
  return new Function('row', `return { ${properties.join(', ')} };`) as (row: unknown) => Row;
}
