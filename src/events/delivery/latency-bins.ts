/**
 * Latency histogram with bins that grow by 25 %: 48 bins cover 1 ms to 36 s with an error of at most 25 %. Histograms of
 * different minutes can be added.
 */
export const latencyBinCount = 48;
const growth = 1.25;

export function latencyBin(milliseconds: number): number {
  if (milliseconds <= 1) return 0;
  return Math.min(latencyBinCount - 1, Math.ceil(Math.log(milliseconds) / Math.log(growth)));
}

/** Upper bound of a bin in milliseconds. */
function binLimit(bin: number): number {
  return growth ** bin;
}

/** The latency below which this share of attempts lies; null without attempts. */
export function percentile(bins: readonly number[], share: number): number | null {
  const total = bins.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let seen = 0;
  for (const [bin, count] of bins.entries()) {
    seen += count;
    if (seen >= total * share) return Math.round(binLimit(bin) * 10) / 10;
  }
  return binLimit(bins.length - 1);
}
