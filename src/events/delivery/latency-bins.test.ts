import fc from 'fast-check';
import { expect, test } from 'vitest';
import { latencyBin, latencyBinCount, percentile } from './latency-bins.ts';

test('a percentile from bins is the true one, rounded up by a quarter at most', () => {
  const latencies = fc.array(fc.double({ min: 1, max: 30_000, noNaN: true }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(latencies, fc.constantFrom(0.5, 0.9, 0.95, 0.99), (values, share) => {
      const bins: number[] = new Array(latencyBinCount).fill(0);
      for (const value of values) bins[latencyBin(value)] = (bins[latencyBin(value)] ?? 0) + 1;
      const sorted = [...values].sort((a, b) => a - b);
      const exact = sorted[Math.ceil(values.length * share) - 1] as number;
      const told = percentile(bins, share) as number;
      expect(told).toBeGreaterThanOrEqual(exact - 0.05);
      expect(told).toBeLessThanOrEqual(exact * 1.25 + 0.05);
    }),
  );
});

test('what is longer than the last bin is counted there, and no attempts have no percentile', () => {
  expect(latencyBin(10_000_000)).toBe(latencyBinCount - 1);
  expect(latencyBin(0)).toBe(0);
  expect(percentile(new Array(latencyBinCount).fill(0), 0.5)).toBeNull();
});
