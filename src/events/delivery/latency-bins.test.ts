import fc from 'fast-check';
import { expect, test } from 'vitest';
import { latencyBin, latencyBinCount, percentile } from './latency-bins.ts';

test('estimates a percentile with at most 25 % error, never too low', () => {
  const latencies = fc.array(fc.double({ min: 1, max: 30_000, noNaN: true }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(latencies, fc.constantFrom(0.5, 0.9, 0.95, 0.99), (values, share) => {
      const bins: number[] = new Array(latencyBinCount).fill(0);
      for (const value of values) bins[latencyBin(value)] = (bins[latencyBin(value)] ?? 0) + 1;
      const sorted = [...values].sort((a, b) => a - b);
      const exact = sorted[Math.ceil(values.length * share) - 1] as number;
      const estimate = percentile(bins, share) as number;
      expect(estimate).toBeGreaterThanOrEqual(exact - 0.05);
      expect(estimate).toBeLessThanOrEqual(exact * 1.25 + 0.05);
    }),
  );
});

test('counts longer latencies in the last bin, and has no percentile without attempts', () => {
  expect(latencyBin(10_000_000)).toBe(latencyBinCount - 1);
  expect(latencyBin(0)).toBe(0);
  expect(percentile(new Array(latencyBinCount).fill(0), 0.5)).toBeNull();
});
