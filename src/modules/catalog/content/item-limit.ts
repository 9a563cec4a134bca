/** Items in the response of a list: 10 MB of 500 bytes each. Pages end before it, after at least one record. */
export const maxListedItems = 20_000;

export const itemLimitWarning = (asked: number, max: number) =>
  `max=${asked} was capped at ${max}: a response contains at most ${maxListedItems} content items.`;

/** The number of records that fit into a response, by their numbers of items. */
export function fittingRecords(itemCounts: readonly number[]): number {
  let items = 0;
  const excess = itemCounts.findIndex((count, index) => {
    items += count;
    return index > 0 && items > maxListedItems;
  });
  return excess === -1 ? itemCounts.length : excess;
}
