/**
 * Latencies are counted in bins that grow by a quarter each: 48 numbers tell any percentile between 1 ms and 36 s,
 * rounded up by a quarter at most, and bins of different minutes can simply be added up.
 */
export const latencyBinCount = 48;
const growth = 1.25;

export function latencyBin(milliseconds: number): number {
  if (milliseconds <= 1) return 0;
  return Math.min(latencyBinCount - 1, Math.ceil(Math.log(milliseconds) / Math.log(growth)));
}

/** The upper end of a bin. */
function binLimit(bin: number): number {
  return growth ** bin;
}

/** The latency that a share of all attempts stayed below, or null without attempts. */
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
