import { describe, expect, test } from 'vitest';
import { readPeriod } from './period.ts';

const momentOf = (given: string | number) => readPeriod({ since: given }).since.toISOString();

describe('a timestamp', () => {
  test.each([
    ['2026-11-15T01:02:03.456Z', '2026-11-15T01:02:03.456Z'],
    ['2026-11-15T01:02:03.456+00:00', '2026-11-15T01:02:03.456Z'],
    ['2026-11-15T01:02:03+02:00', '2026-11-14T23:02:03.000Z'],
    ['2026-11-15T01:02', '2026-11-15T01:02:00.000Z'],
    ['2026-11-15', '2026-11-15T00:00:00.000Z'],
    [1_794_704_523_456, '2026-11-15T01:02:03.456Z'],
    ['1794704523456', '2026-11-15T01:02:03.456Z'],
  ])('%s is %s', (given, expected) => {
    expect(momentOf(given)).toBe(expected);
  });

  test('accepts an unescaped plus sign', () => {
    expect(momentOf('2026-11-15T03:02:03 02:00')).toBe('2026-11-15T01:02:03.000Z');
  });

  test.each([
    'yesterday',
    '15.11.2026',
    '2026-13-01',
    '2026-02-30',
    '2026-11-15T25:00',
    '-1',
    '99999999999999999999',
    'T01:02',
  ])('%s is refused in words that say what is accepted', (given) => {
    expect(() => readPeriod({ until: given })).toThrow(/until must be a timestamp in ISO 8601 such as .* milliseconds/);
  });
});

describe('a period', () => {
  test('defaults to all time', () => {
    const { since, until } = readPeriod({});
    expect(since.getTime()).toBe(0);
    expect(until.getFullYear()).toBe(9999);
  });

  test('can be a single timestamp, and must not end before it starts', () => {
    expect(() => readPeriod({ since: 5, until: 5 })).not.toThrow();
    expect(() => readPeriod({ since: 6, until: 5 })).toThrow(/since .* must not be later than until/);
  });
});
