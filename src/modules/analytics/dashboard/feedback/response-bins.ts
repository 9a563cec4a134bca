/** How much wider each bin is than the one before: see response_bin in the migration. */
const growth = 1.015;

/** The middle of a bin, within 0.75 % of all that is in it. */
const secondsOf = (bin: number) => (bin === 0 ? 0 : growth ** (bin - 0.5));

/** A quantile lies between two values, as far as its place is between theirs. */
export function quantileOf([lower, upper]: readonly [number, number], total: number, share: number): number {
  const place = share * (total - 1);
  const [from, to] = [secondsOf(lower), secondsOf(upper)];
  return from + (to - from) * (place - Math.floor(place));
}
