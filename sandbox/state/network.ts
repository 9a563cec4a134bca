import { createHash, randomBytes } from 'node:crypto';
import { rulesOfType } from '../directories/directory-rules.ts';
import { contentTables } from './schema.ts';
import { Sql } from './sql.ts';

export interface NetworkOptions {
  /** State file. Default: in memory. */
  file?: string;
  /** Seed of all random values. Default: random. An existing state keeps its seed. */
  seed?: number;
  now?: () => number;
}

/** The state of all directories, their shared clock and seed. */
export class Network {
  readonly sql: Sql;
  readonly #clock: () => number;
  readonly #options: NetworkOptions;
  #seed = 0;
  #epoch = '';
  #offset = 0;
  #lastNumber = 0;
  #reservedUntil = 0;

  constructor(options: NetworkOptions) {
    this.#options = options;
    this.#clock = options.now ?? Date.now;
    this.sql = new Sql(options.file ?? ':memory:');
    this.sql.onRollback = () => {
      this.#reservedUntil = this.#lastNumber;
    };
    this.#load();
  }

  get seed(): number {
    return this.#seed;
  }

  /** Changes with each reset, which invalidates older cursors. */
  get epoch(): string {
    return this.#epoch;
  }

  now(): number {
    return this.#clock() + this.#offset;
  }

  advanceClock(milliseconds: number): void {
    this.#offset += milliseconds;
    this.setFact('ahead', this.#offset);
  }

  /** Larger than all previous numbers. */
  nextNumber(): number {
    this.#lastNumber += 1;
    // Reserved in blocks of 1000: after a restart, numbers continue after the reserved block.
    if (this.#lastNumber > this.#reservedUntil) {
      this.#reservedUntil = this.#lastNumber + 1000;
      this.setFact('counted', this.#reservedUntil);
    }
    return this.#lastNumber;
  }

  /** Deterministic for the same seed and history. */
  newId(directory: string, kind: string): string {
    const text = [this.#seed, directory, kind, this.nextNumber()].join(' ');
    return createHash('sha256').update(text).digest('base64url').replace(/[-_]/g, 'x').slice(0, 16);
  }

  urlOf(directory: string, id: string): string | undefined {
    const site = rulesOfType(directory)?.site;
    return site && `${site}${id}`;
  }

  fact(name: string): string | undefined {
    return this.sql.one<{ value: string }>`select value from facts where name = ${name}`?.value;
  }

  setFact(name: string, value: string | number): void {
    this.sql.run`insert into facts values (${name}, ${String(value)}) on conflict do update set value = excluded.value`;
  }

  /** Deletes everything except the installations, the seed and the endpoints of the demo receiver. */
  reset(): void {
    this.sql.transaction(() => {
      this.sql.clear(contentTables);
      this.sql.run`delete from facts where name <> 'seed' and name not like 'receiver %'`;
      this.#load();
    });
  }

  close(): void {
    this.sql.close();
  }

  #load(): void {
    this.#seed = Number(this.#loadFact('seed', () => this.#options.seed ?? randomBytes(4).readUInt32LE()));
    this.#epoch = this.#loadFact('epoch', () => randomBytes(4).toString('hex'));
    this.#offset = Number(this.#loadFact('ahead', () => 0));
    this.#reservedUntil = Number(this.#loadFact('counted', () => 0));
    this.#lastNumber = this.#reservedUntil;
  }

  #loadFact(name: string, initial: () => string | number): string {
    const stored = this.fact(name);
    if (stored !== undefined) return stored;
    const value = String(initial());
    this.setFact(name, value);
    return value;
  }
}
