/** Rating of a datapoint before and after a check: null without a rating, absent if the datapoint does not count. */
export interface RatingChange {
  readonly before?: number | null;
  readonly after?: number | null;
}

export function ratingDelta(passages: readonly RatingChange[]): {
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
