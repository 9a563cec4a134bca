import { describe, expect, test } from 'vitest';
import { latencyBin, latencyBinCount } from '../delivery/latency-bins.ts';
import { spanOf, statisticsResponse } from './statistics.ts';

const now = new Date('2026-11-15T12:34:56Z');
const hours = (count: number) => ({ since: new Date(now.getTime() - count * 3_600_000), until: now });
const bins = (...milliseconds: number[]) => {
  const counts = new Array<number>(latencyBinCount).fill(0);
  for (const value of milliseconds) counts[latencyBin(value)] = (counts[latencyBin(value)] ?? 0) + 1;
  return counts;
};

describe('buckets', () => {
  test.each([
    [3, 'MINUTE'],
    [3.1, 'HOUR'],
    [7 * 24, 'HOUR'],
    [7 * 24 + 1, 'DAY'],
  ])('of %d hours are one %s each, unless another is asked for', (count, bucket) => {
    expect(spanOf(hours(count), undefined, now).bucket).toBe(bucket);
    expect(spanOf(hours(count), 'DAY', now).bucket).toBe('DAY');
  });

  test('are hours if minutes are no longer kept', () => {
    const since = new Date('2026-11-01T10:00:00Z');
    expect(spanOf({ since, until: new Date('2026-11-01T11:00:00Z') }, undefined, now).bucket).toBe('HOUR');
  });

  test('are whole buckets around the period', () => {
    const span = spanOf({ since: new Date('2026-11-15T08:59:59.999Z'), until: now }, 'HOUR', now);
    expect(span).toEqual({
      bucket: 'HOUR',
      start: new Date('2026-11-15T08:00:00Z'),
      end: new Date('2026-11-15T13:00:00Z'),
    });
  });

  test('are limited in number and to the kept resolution', () => {
    expect(() => spanOf(hours(26), 'MINUTE', now)).toThrow(/the maximum is 1500/);
    const period = { since: new Date('2026-11-13T11:00:00Z'), until: new Date('2026-11-13T12:00:00Z') };
    expect(() => spanOf(period, 'MINUTE', now)).toThrow(/Minutes are kept for 2 days/);
  });
});

describe('statistics', () => {
  const span = spanOf(
    { since: new Date('2026-11-15T09:00:00Z'), until: new Date('2026-11-15T11:30:00Z') },
    'HOUR',
    now,
  );

  test('have a bucket for each hour, including empty ones, and totals', () => {
    const { buckets, totals, ...rest } = statisticsResponse(span, [
      {
        start: new Date('2026-11-15T09:00:00Z'),
        delivered: 3,
        failed: 1,
        discarded: 0,
        latency: bins(10, 10, 10, 900),
      },
      { start: new Date('2026-11-15T11:00:00Z'), delivered: 0, failed: 2, discarded: 1, latency: bins(900, 900) },
    ]);
    expect(rest).toEqual({ since: '2026-11-15T09:00:00.000Z', until: '2026-11-15T12:00:00.000Z', bucket: 'HOUR' });
    expect(buckets).toEqual([
      {
        start: '2026-11-15T09:00:00.000Z',
        delivered: 3,
        failed: 1,
        discarded: 0,
        successRate: 0.75,
        latency: expect.any(Object),
      },
      { start: '2026-11-15T10:00:00.000Z', delivered: 0, failed: 0, discarded: 0 },
      {
        start: '2026-11-15T11:00:00.000Z',
        delivered: 0,
        failed: 2,
        discarded: 1,
        successRate: 0,
        latency: expect.any(Object),
      },
    ]);
    expect(totals).toMatchObject({ delivered: 3, failed: 3, discarded: 1, successRate: 0.5 });
  });

  test('have percentiles rounded up by at most 25 %', () => {
    const fast = Array.from({ length: 90 }, () => 20);
    const slow = Array.from({ length: 10 }, () => 2000);
    const [bucket] = statisticsResponse(span, [
      { start: span.start, delivered: 100, failed: 0, discarded: 0, latency: bins(...fast, ...slow) },
    ]).buckets;
    const { p50 = 0, p90 = 0, p95 = 0, p99 = 0 } = bucket?.latency ?? {};
    for (const value of [p50, p90]) expect([value >= 20, value <= 25]).toEqual([true, true]);
    for (const value of [p95, p99]) expect([value >= 2000, value <= 2500]).toEqual([true, true]);
  });
});
