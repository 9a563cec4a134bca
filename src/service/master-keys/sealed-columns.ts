import type { Sql } from '../../database/connection.ts';
import type { DB } from '../../database/schema.ts';
import { defineStatement, run, type Statement, snakeCase } from '../../database/statement.ts';
import { keyMark, type Sealer } from '../../events/signing/sealer.ts';
import { resealWebhookSecret } from '../../events/signing/webhook-credentials.ts';

type Reseal = (sealer: Sealer, sealed: Buffer) => Buffer;

/** Seals a value again, with the current key. */
const resealText: Reseal = (sealer, sealed) => sealer.seal(sealer.open(sealed));

interface Definition<Table extends keyof DB> {
  table: Table;
  /** The columns of the primary key, with their types. */
  key: Partial<Record<keyof DB[Table], 'bigint' | 'text'>>;
  column: keyof DB[Table];
  /** Text columns hold the bytes in base64. */
  type?: 'base64';
  /** Default: `resealText`. */
  reseal?: Reseal;
}

const id = { id: 'bigint' } as const;
const webhooks = { table: 'webhooks', key: id } as const;
const requestSettings = { table: 'requestSettings', key: id } as const;

/** All sealed columns. Workers copy secrets from `webhooks` to `request_settings`, which is therefore re-sealed later. */
const definitions: readonly { [Table in keyof DB]: Definition<Table> }[keyof DB][] = [
  { table: 'partnerKeys', key: id, column: 'sealed' },
  { ...webhooks, column: 'secret', reseal: resealWebhookSecret },
  { ...webhooks, column: 'previousSecret', reseal: resealWebhookSecret },
  { ...webhooks, column: 'headers' },
  { ...webhooks, column: 'oauthSecret' },
  { ...webhooks, column: 'clientKey' },
  { ...webhooks, column: 'queueCredentials' },
  { ...requestSettings, column: 'secret', reseal: resealWebhookSecret },
  { ...requestSettings, column: 'previousSecret', reseal: resealWebhookSecret },
  { table: 'idempotencyKeys', key: { partnerId: 'bigint', key: 'text' }, column: 'answer', type: 'base64' },
];

/** A value of a sealed column. */
export interface SealedValue {
  /** The primary key of the row. */
  rowKey: string[];
  sealed: Buffer;
}

const batchSize = 100;

/** A sealed column, with its statements. */
export class SealedColumn {
  readonly table: string;
  readonly name: string;
  readonly type: 'bytea' | 'base64';
  readonly reseal: Reseal;
  /** Less than the key of any row. */
  readonly firstKey: readonly string[];
  readonly #count: Statement<{ fingerprint: string; values: number }>;
  readonly #find: Statement<SealedValue>;
  readonly #replace: Statement<{ isReplaced: boolean }>;

  constructor({ table, key, column, type, reseal = resealText }: (typeof definitions)[number]) {
    this.table = snakeCase(table);
    this.name = snakeCase(column);
    this.type = type ?? 'bytea';
    this.reseal = reseal;
    const keys = Object.entries(key).map(([name, keyType]) => ({ name: snakeCase(name), type: keyType }));
    this.firstKey = keys.map((part) => (part.type === 'bigint' ? '0' : ''));
    const isBytea = this.type === 'bytea';
    // An empty text is the response of a request in progress.
    const isSealed = isBytea ? `${this.name} is not null` : `${this.name} <> ''`;
    const bytes = isBytea ? this.name : `decode(${this.name}, 'base64')`;
    const newValue = isBytea ? '$1::bytea' : `replace(encode($1::bytea, 'base64'), chr(10), '')`;
    const label = `${this.table}-${this.name}`.replaceAll('_', '-');
    const keyColumns = keys.map(({ name }) => name).join(', ');
    this.#count = defineStatement({
      name: `count-sealed-${label}`,
      text: `select ${this.#fingerprint('$1::text')} as fingerprint, count(*) as values
             from ${this.table} where ${isSealed} group by 1`,
      columns: { fingerprint: 'text', values: 'int8' },
    });
    this.#find = defineStatement({
      name: `find-sealed-${label}`,
      text: `select array[${keys.map(({ name }) => `${name}::text`).join(', ')}] as row_key, ${bytes} as sealed
             from ${this.table}
             where (${keyColumns}) > (${keys.map((part, index) => `$${index + 3}::${part.type}`).join(', ')})
               and ${isSealed} and ${this.#fingerprint('$2::text')} <> $1::text
             order by ${keyColumns} limit ${batchSize}`,
      columns: { rowKey: 'text[]', sealed: 'bytea' },
    });
    this.#replace = defineStatement({
      name: `replace-sealed-${label}`,
      text: `update ${this.table} set ${this.name} = ${newValue}
             where ${keys.map((part, index) => `${part.name} = $${index + 3}::${part.type}`).join(' and ')}
               and ${bytes} = $2::bytea
             returning true as is_replaced`,
      columns: { isReplaced: 'bool' },
    });
  }

  /** SQL for the fingerprint of the key of a value; `unmarked` is the one of values without a mark. */
  #fingerprint(unmarked: string): string {
    // 16 characters of base64 are the 12 bytes of a mark.
    const bytes = this.type === 'bytea' ? this.name : `decode(left(${this.name}, 16), 'base64')`;
    const first = keyMark.length;
    return `case when substring(${bytes} from 1 for ${first}) = '\\x${keyMark.toString('hex')}'
              then encode(substring(${bytes} from ${first + 1} for 8), 'hex') else ${unmarked} end`;
  }

  /** Numbers of values by the fingerprint of their key. */
  count = (sql: Sql, unmarked: string) => run(sql, this.#count, [unmarked]);

  /** The next values after a row that are not sealed by the current key. */
  findOthers = (sql: Sql, { current, unmarked }: Sealer, after: readonly string[]): Promise<SealedValue[]> =>
    run(sql, this.#find, [current.fingerprint, unmarked, ...after]);

  /** Returns false if the value has changed meanwhile. */
  async replace(sql: Sql, { rowKey, sealed }: SealedValue, newValue: Buffer): Promise<boolean> {
    const rows = await run(sql, this.#replace, [newValue, sealed, ...rowKey]);
    return rows.length > 0;
  }
}

export const sealedColumns: readonly SealedColumn[] = definitions.map((definition) => new SealedColumn(definition));

/** Numbers of values by the fingerprint of their key. */
export async function countSealedValues(sql: Sql, unmarked: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const column of sealedColumns) {
    for (const { fingerprint, values } of await column.count(sql, unmarked))
      counts.set(fingerprint, (counts.get(fingerprint) ?? 0) + Number(values));
  }
  return counts;
}
