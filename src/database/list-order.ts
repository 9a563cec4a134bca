import type { Conditions } from './conditions.ts';

/** The order of a list: by an expression, as an index has it, and among equals by the id. */
export interface ListOrder {
  /** The id itself, when there is nothing before it. */
  by: string;
  id: string;
  descending: boolean;
}

export const orderBy = ({ by, id, descending }: ListOrder): string => {
  const direction = descending ? 'desc' : 'asc';
  return by === id ? `${id} ${direction}` : `${by} ${direction}, ${id} ${direction}`;
};

/** Only what lies behind the last one of another page: its id, and SQL for what the list is ordered by in its case. */
export const cursorCondition = ({ by, id, descending }: ListOrder, lastId: string, lastBy: string): string => {
  const isBehind = descending ? '<' : '>';
  return by === id ? `${id} ${isBehind} ${lastId}` : `(${by}, ${id}) ${isBehind} (${lastBy}, ${lastId})`;
};

/** Narrows a list of a partner, who is $1, to what lies behind the last one of the page before. */
export function addCursorCondition(
  conditions: Conditions,
  order: ListOrder,
  table: string,
  after: number | undefined,
): void {
  if (after === undefined) return;
  const last = `${conditions.value(after)}::bigint`;
  const place = `(select ${order.by} from ${table} where ${order.id} = ${last} and partner_id = $1)`;
  conditions.add(cursorCondition(order, last, place));
}
