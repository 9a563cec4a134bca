import { describe, expect, test } from 'vitest';
import { type LocationStatus, locationStatuses } from './location.ts';
import { judgeMove, type Mover } from './status-moves.ts';

const today = '2026-11-15';
const yesterday = '2026-11-14';
const tomorrow = '2026-11-16';

/** Every move of the contract, with an end date for which it is allowed. */
const allowed: [from: LocationStatus, to: LocationStatus, by: Mover, endDate: string | null][] = [
  ['CREATED', 'ACTIVE', 'first sync', null],
  ['ACTIVE', 'NEEDS_REVIEW', 'person', null],
  ['NEEDS_REVIEW', 'ACTIVE', 'person', null],
  ['ACTIVE', 'CANCELLED', 'person', null],
  ['NEEDS_REVIEW', 'CANCELLED', 'person', null],
  ['CANCELLED', 'ACTIVE', 'person', tomorrow],
  ['CANCELLED', 'INACTIVE', 'end date', yesterday],
  ['INACTIVE', 'ACTIVE', 'person', yesterday],
  ['ACTIVE', 'CLOSED', 'person', null],
  ['CANCELLED', 'CLOSED', 'person', tomorrow],
  ['INACTIVE', 'CLOSED', 'person', yesterday],
  ['CLOSED', 'ACTIVE', 'person', null],
  ['INACTIVE', 'DELETED', 'person', yesterday],
  ['CREATED', 'DELETED', 'person', null],
];

const movers: Mover[] = ['person', 'first sync', 'end date'];

test.each(allowed)('%s becomes %s by %s', (from, to, by, endDate) => {
  expect(judgeMove({ status: from, endDate }, to, { by, today })).toMatchObject({ allowed: true });
});

describe('every other move is refused and named the ways there are', () => {
  const others = locationStatuses.flatMap((from) =>
    locationStatuses.flatMap((to) =>
      movers
        .filter((by) => from !== to && !allowed.some((move) => move[0] === from && move[1] === to && move[2] === by))
        .map((by) => [from, to, by] as const),
    ),
  );
  test.each(others)('%s does not become %s by %s', (from, to, by) => {
    for (const endDate of [null, yesterday, today, tomorrow]) {
      const judged = judgeMove({ status: from, endDate }, to, { by, today });
      if (judged.allowed) throw new Error('It was allowed.');
      const ways = allowed.filter(([status]) => status === from).map(([, target]) => target);
      for (const way of ways) expect(judged.message).toContain(way);
      if (ways.length === 0) expect(judged.message).toContain('It stays that way.');
    }
  });
});

describe('the end date', () => {
  test('is set by a cancellation, to today unless it is given', () => {
    const active = { status: 'ACTIVE', endDate: null } as const;
    expect(judgeMove(active, 'CANCELLED', { by: 'person', today })).toEqual({ allowed: true, endDate: today });
    expect(judgeMove(active, 'CANCELLED', { by: 'person', today, endDate: tomorrow })).toEqual({
      allowed: true,
      endDate: tomorrow,
    });
  });

  test('is gone once the location is active again, and stays otherwise', () => {
    const cancelled = { status: 'CANCELLED', endDate: tomorrow } as const;
    expect(judgeMove(cancelled, 'ACTIVE', { by: 'person', today })).toEqual({ allowed: true, endDate: null });
    expect(judgeMove(cancelled, 'CLOSED', { by: 'person', today })).toEqual({ allowed: true, endDate: tomorrow });
  });

  test.each([
    ['CANCELLED', 'ACTIVE', 'person', today],
    ['CANCELLED', 'INACTIVE', 'end date', today],
    ['CANCELLED', 'ACTIVE', 'person', yesterday],
    ['CANCELLED', 'INACTIVE', 'end date', tomorrow],
    ['INACTIVE', 'DELETED', 'person', today],
    ['INACTIVE', 'DELETED', 'person', tomorrow],
  ] as const)('keeps %s from becoming %s by %s with %s', (from, to, by, endDate) => {
    const judged = judgeMove({ status: from, endDate }, to, { by, today });
    expect(judged).toMatchObject({ allowed: false });
    expect((judged as { message: string }).message).toContain(endDate);
  });
});
