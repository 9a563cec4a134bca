import fc from 'fast-check';
import { expect, test } from 'vitest';
import { latencyBin, latencyBinCount, percentile } from './latency-bins.ts';

function binsOf(latencies: readonly number[]): number[] {
  const found = latencies.map(latencyBin);
  return Array.from({ length: latencyBinCount }, (_, bin) => found.filter((other) => other === bin).length);
}

const latency = fc.double({ min: 1, max: 30_000, noNaN: true });
const share = fc.constantFrom(0.5, 0.9, 0.95, 0.99, 1);

test('a percentile is told to within a quarter, and never too low', () => {
  fc.assert(
    fc.property(fc.array(latency, { minLength: 1, maxLength: 200 }), share, (latencies, part) => {
      const exact = latencies.toSorted((a, b) => a - b)[Math.ceil(latencies.length * part) - 1] as number;
      const told = percentile(binsOf(latencies), part) as number;
      expect(told).toBeGreaterThanOrEqual(Math.floor(exact * 10) / 10);
      expect(told).toBeLessThanOrEqual(exact * 1.25 + 0.1);
    }),
  );
});

test('bins of different minutes are added up', () => {
  fc.assert(
    fc.property(fc.array(latency), fc.array(latency), share, (one, two, part) => {
      const second = binsOf(two);
      const sum = binsOf(one).map((count, bin) => count + (second[bin] ?? 0));
      expect(percentile(sum, part)).toBe(percentile(binsOf([...one, ...two]), part));
    }),
  );
});

test('every latency has a bin, and a longer one never a lower', () => {
  const any = fc.double({ min: 0, max: 1e9, noNaN: true });
  fc.assert(
    fc.property(any, any, (a, b) => {
      const [low, high] = [latencyBin(Math.min(a, b)), latencyBin(Math.max(a, b))];
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThan(latencyBinCount);
      expect(low).toBeLessThanOrEqual(high);
    }),
  );
});

test('without attempts there is no percentile', () => {
  expect(percentile(binsOf([]), 0.5)).toBe(null);
});
