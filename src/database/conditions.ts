/** Builds a WHERE clause with parameters. */
export class Conditions {
  readonly values: unknown[];
  readonly #parts: string[] = [];

  constructor(...values: unknown[]) {
    this.values = values;
  }

  /** Adds a parameter and returns its placeholder. */
  value(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  add(condition: string): this {
    this.#parts.push(condition);
    return this;
  }

  /** `where …`, or an empty string. */
  get where(): string {
    return this.#parts.length > 0 ? `where ${this.#parts.join(' and ')}` : '';
  }
}

/** The order of a list: by an indexed expression, then by the id. */
export interface ListOrder {
  /** Equals `id` for a list ordered by id only. */
  by: string;
  id: string;
  descending: boolean;
}

export const orderBy = ({ by, id, descending }: ListOrder): string => {
  const direction = descending ? 'desc' : 'asc';
  return by === id ? `${id} ${direction}` : `${by} ${direction}, ${id} ${direction}`;
};

/** Rows after a cursor: the id of the last row of the previous page, and SQL for its sort value. */
export const cursorCondition = ({ by, id, descending }: ListOrder, lastId: string, lastBy: string): string => {
  const operator = descending ? '<' : '>';
  return by === id ? `${id} ${operator} ${lastId}` : `(${by}, ${id}) ${operator} (${lastBy}, ${lastId})`;
};

/** Restricts a list to the rows after a cursor. The partner id is $1. */
export function addCursorCondition(
  conditions: Conditions,
  order: ListOrder,
  table: string,
  after: number | undefined,
): void {
  if (after === undefined) return;
  const last = `${conditions.value(after)}::bigint`;
  const lastBy = `(select ${order.by} from ${table} where ${order.id} = ${last} and partner_id = $1)`;
  conditions.add(cursorCondition(order, last, lastBy));
}
