import { createHash, randomBytes } from 'node:crypto';
import { rulesOfType } from '../directories/directory-rules.ts';
import { tables } from './schema.ts';
import { Sql } from './sql.ts';

export interface NetworkOptions {
  /** Where the state is kept; in memory without it. */
  file?: string;
  /** From which all chance follows; one of its own without it. A state that is there keeps its own. */
  seed?: number;
  now?: () => number;
}

/** The state of all directories, their common clock and the seed of their chance. */
export class Network {
  readonly sql: Sql;
  readonly #clock: () => number;
  readonly #options: NetworkOptions;
  #seed = 0;
  #epoch = '';
  #ahead = 0;
  #counted = 0;
  #kept = 0;

  constructor(options: NetworkOptions) {
    this.#options = options;
    this.#clock = options.now ?? Date.now;
    this.sql = new Sql(options.file ?? ':memory:');
    this.sql.onRollback = () => {
      this.#kept = this.#counted;
    };
    this.#begin();
  }

  get seed(): number {
    return this.#seed;
  }

  /** Another one after each reset: cursors from before mean nothing afterwards. */
  get epoch(): string {
    return this.#epoch;
  }

  now(): number {
    return this.#clock() + this.#ahead;
  }

  advanceClock(milliseconds: number): void {
    this.#ahead += milliseconds;
    this.keep('ahead', this.#ahead);
  }

  /** A number larger than all before. */
  count(): number {
    this.#counted += 1;
    // Kept in strides: a state that is opened again goes on behind the stride that was under way.
    if (this.#counted > this.#kept) {
      this.#kept = this.#counted + 1000;
      this.keep('counted', this.#kept);
    }
    return this.#counted;
  }

  /** An id as directories give them; the same again for the same seed and history. */
  newId(directory: string, kind: string): string {
    const text = [this.#seed, directory, kind, this.count()].join(' ');
    return createHash('sha256').update(text).digest('base64url').replace(/[-_]/g, 'x').slice(0, 16);
  }

  urlOf(directory: string, id: string): string | undefined {
    const site = rulesOfType(directory)?.site;
    return site && `${site}${id}`;
  }

  fact(name: string): string | undefined {
    return this.sql.one<{ value: string }>('select value from facts where name = ?', name)?.value;
  }

  keep(name: string, value: string | number): void {
    this.sql.run(
      'insert into facts values (?, ?) on conflict do update set value = excluded.value',
      name,
      String(value),
    );
  }

  /** Forgets everything except who may call. */
  reset(): void {
    this.sql.transaction(() => {
      const seed = this.#seed;
      for (const table of tables) this.sql.run(`delete from ${table}`);
      this.keep('seed', seed);
      this.#begin();
    });
  }

  close(): void {
    this.sql.close();
  }

  #begin(): void {
    this.#seed = Number(this.#firstKept('seed', () => this.#options.seed ?? randomBytes(4).readUInt32LE()));
    this.#epoch = this.#firstKept('epoch', () => randomBytes(4).toString('hex'));
    this.#ahead = Number(this.#firstKept('ahead', () => 0));
    this.#kept = Number(this.#firstKept('counted', () => 0));
    this.#counted = this.#kept;
  }

  #firstKept(name: string, draw: () => string | number): string {
    const kept = this.fact(name);
    if (kept !== undefined) return kept;
    const value = String(draw());
    this.keep(name, value);
    return value;
  }
}
