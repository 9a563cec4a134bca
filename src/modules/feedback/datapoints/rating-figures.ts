/** A datapoint before and after a check: its rating, null without one; absent when it does not count. */
export interface Passage {
  readonly before?: number | null;
  readonly after?: number | null;
}

/** By how much the figures of a location change. */
export function figuresChange(passages: readonly Passage[]): {
  dataPoints: number;
  ratings: number;
  ratingSum: number;
} {
  const change = { dataPoints: 0, ratings: 0, ratingSum: 0 };
  const count = (rating: number | null | undefined, sign: 1 | -1) => {
    if (rating === undefined) return;
    change.dataPoints += sign;
    if (rating === null) return;
    change.ratings += sign;
    change.ratingSum += sign * rating;
  };
  for (const { before, after } of passages) {
    count(before, -1);
    count(after, 1);
  }
  return change;
}
