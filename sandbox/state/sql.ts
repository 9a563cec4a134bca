import { chmodSync, closeSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { schema } from './schema.ts';

/** Synchronous access to the state, in a file or in memory. */
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

  all<Row>(statement: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepared(statement).all(...values) as Row[];
  }

  one<Row>(statement: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepared(statement).get(...values) as Row | undefined;
  }

  /** Returns the number of changed rows. */
  run(statement: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepared(statement).run(...values).changes);
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

  #prepared(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known) return known;
    const prepared = this.#database.prepare(text);
    this.#statements.set(text, prepared);
    return prepared;
  }
}
