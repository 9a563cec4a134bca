import pg from 'pg';
import { rowReader } from './statement.ts';

interface Field {
  name: string;
  dataTypeID: number;
}

/** The result columns of a prepared statement. The server rejects the statement when a migration changes them. */
interface Layout {
  fields: readonly Field[];
  parsers: readonly ((text: string) => unknown)[];
  toObject: (row: unknown) => unknown;
}

/** The methods that `pg` calls on a query, as in its packages pg-cursor and pg-query-stream. */
interface Submitted {
  name?: string;
  callback?: (error: Error | null, result?: object) => void;
  submit(connection: pg.Connection): Error | null;
  handleRowDescription(message: { fields: Field[] }): void;
  handleDataRow(message: { fields: (string | null)[] }): void;
  handleCommandComplete(message: { text: string }): void;
  handleReadyForQuery(): void;
}

const Query = pg.Query as unknown as new (text: string, values: unknown[]) => Submitted;

export interface PreparedStatement {
  name: string;
  text: string;
  values?: unknown[] | undefined;
  rowMode?: 'array' | undefined;
}

/** The layouts of a connection's prepared statements by name. */
export class Layouts {
  readonly #types: pg.CustomTypesConfig;
  readonly #known = new Map<string, Layout>();

  constructor(types: pg.CustomTypesConfig) {
    this.#types = types;
  }

  get(name: string): Layout | undefined {
    return this.#known.get(name);
  }

  add(name: string, fields: readonly Field[]): Layout {
    const layout = {
      fields,
      parsers: fields.map(({ dataTypeID }) => this.#types.getTypeParser(dataTypeID, 'text')),
      toObject: rowReader(fields.map((field, index) => [field.name, index])),
    };
    this.#known.set(name, layout);
    return layout;
  }
}

/** Requests the description of the result columns only on the first use. */
export class PreparedQuery extends Query implements Submitted {
  override readonly name: string;
  readonly #layouts: Layouts;
  readonly #asArrays: boolean;
  readonly #rows: unknown[] = [];
  #layout: Layout | undefined;
  #completed = '';
  #failure: Error | null = null;

  constructor({ name, text, values = [], rowMode }: PreparedStatement, layouts: Layouts) {
    super(text, values);
    this.name = name;
    this.#layouts = layouts;
    this.#asArrays = rowMode === 'array';
  }

  override submit(connection: pg.Connection): Error | null {
    this.#layout = this.#layouts.get(this.name);
    return super.submit(this.#layout ? withoutDescribe(connection) : connection);
  }

  override handleRowDescription({ fields }: { fields: Field[] }): void {
    this.#layout = this.#layouts.add(this.name, fields);
  }

  override handleDataRow({ fields: texts }: { fields: (string | null)[] }): void {
    if (!this.#layout || this.#failure) return;
    const { parsers, toObject } = this.#layout;
    try {
      const values = texts.map((text, index) => (text === null ? null : parsers[index]?.(text)));
      this.#rows.push(this.#asArrays ? values : toObject(values));
    } catch (error) {
      this.#failure = error as Error;
    }
  }

  override handleCommandComplete({ text }: { text: string }): void {
    this.#completed = text;
    this.#layout ??= this.#layouts.add(this.name, []);
  }

  override handleReadyForQuery(): void {
    if (this.#failure) {
      this.callback?.(this.#failure);
      return;
    }
    const [command = '', ...counts] = this.#completed.split(' ');
    const count = counts.at(-1);
    this.callback?.(null, {
      command,
      rowCount: count === undefined ? null : Number(count),
      rows: this.#rows,
      fields: this.#layout?.fields ?? [],
    });
  }
}

const quietConnections = new WeakMap<pg.Connection, pg.Connection>();

function withoutDescribe(connection: pg.Connection): pg.Connection {
  const known = quietConnections.get(connection);
  if (known) return known;
  const quiet: pg.Connection = Object.create(connection, { describe: { value: () => {} } });
  quietConnections.set(connection, quiet);
  return quiet;
}
