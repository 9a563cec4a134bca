import { chmodSync, closeSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { schema } from './schema.ts';

type Values = Readonly<Record<string, SQLInputValue | undefined>>;

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const properties = new Map<string, string>();

/** The property of a column. */
function propertyOf(column: string): string {
  const known = properties.get(column);
  if (known !== undefined) return known;
  const property = camelCase(column);
  properties.set(column, property);
  return property;
}

/** Synchronous access to the state, in a file or in memory. Rows have the columns' names in camel case. */
export class Sql {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #depth = 0;
  /** Resets state that is cached in memory. */
  onRollback: () => void = () => {};

  constructor(file: string) {
    // The file contains hashes of installation keys. SQLite creates its other files with the same mode.
    if (file !== ':memory:') {
      closeSync(openSync(file, 'a', 0o600));
      chmodSync(file, 0o600);
    }
    // A previous process may take a moment to release the file.
    this.#database = new DatabaseSync(file, { timeout: 10_000 });
    if (file !== ':memory:') {
      this.#database.exec(`pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = normal`);
    }
    this.#database.exec(schema);
  }

  /** A template tag, like `one` and `run`: each value becomes a parameter. */
  all<Row>(parts: TemplateStringsArray, ...values: SQLInputValue[]): Row[] {
    return this.#prepared(parts.join('?'))
      .all(...values)
      .map(rowOf<Row>);
  }

  one<Row>(parts: TemplateStringsArray, ...values: SQLInputValue[]): Row | undefined {
    return this.all<Row>(parts, ...values)[0];
  }

  /** Returns the number of changed rows. */
  run(parts: TemplateStringsArray, ...values: SQLInputValue[]): number {
    return Number(this.#prepared(parts.join('?')).run(...values).changes);
  }

  /** The names of the values are columns in camel case. */
  insert(table: string, row: Values): void {
    this.#write('insert', table, row);
  }

  /** Replaces the row with the same key, if there is one. */
  replace(table: string, row: Values): void {
    this.#write('replace', table, row);
  }

  clear(tables: readonly string[]): void {
    for (const table of tables) this.#database.exec(`delete from ${table}`);
  }

  transaction<T>(work: () => T): T {
    if (this.#depth > 0) return work();
    this.#database.exec('begin immediate');
    this.#depth += 1;
    try {
      const result = work();
      this.#database.exec('commit');
      return result;
    } catch (error) {
      this.#database.exec('rollback');
      this.onRollback();
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #write(verb: 'insert' | 'replace', table: string, row: Values): void {
    const columns = Object.keys(row).map(snakeCase);
    const statement = `${verb} into ${table} (${columns.join()}) values (${columns.map(() => '?').join()})`;
    this.#prepared(statement).run(...Object.values(row).map((value) => value ?? null));
  }

  #prepared(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known) return known;
    const prepared = this.#database.prepare(text);
    this.#statements.set(text, prepared);
    return prepared;
  }
}

function rowOf<Row>(row: Record<string, unknown>): Row {
  const named: Record<string, unknown> = {};
  for (const column in row) named[propertyOf(column)] = row[column];
  return named as Row;
}
