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
export const behind = ({ by, id, descending }: ListOrder, lastId: string, lastBy: string): string => {
  const isBehind = descending ? '<' : '>';
  return by === id ? `${id} ${isBehind} ${lastId}` : `(${by}, ${id}) ${isBehind} (${lastBy}, ${lastId})`;
};
