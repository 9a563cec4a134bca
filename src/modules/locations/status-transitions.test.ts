import { describe, expect, test } from 'vitest';
import { judgeTransition, type TransitionTrigger } from './change-status.ts';
import { type LocationStatus, locationStatuses } from './location.ts';

const today = '2026-11-15';
const yesterday = '2026-11-14';
const tomorrow = '2026-11-16';

/** Every documented transition, with an end date for which it is allowed. */
const allowed: [from: LocationStatus, to: LocationStatus, by: TransitionTrigger, endDate: string | null][] = [
  ['CREATED', 'ACTIVE', 'first sync', null],
  ['ACTIVE', 'NEEDS_REVIEW', 'user', null],
  ['NEEDS_REVIEW', 'ACTIVE', 'user', null],
  ['ACTIVE', 'CANCELLED', 'user', null],
  ['NEEDS_REVIEW', 'CANCELLED', 'user', null],
  ['CANCELLED', 'ACTIVE', 'user', tomorrow],
  ['CANCELLED', 'INACTIVE', 'end date', yesterday],
  ['INACTIVE', 'ACTIVE', 'user', yesterday],
  ['ACTIVE', 'CLOSED', 'user', null],
  ['CANCELLED', 'CLOSED', 'user', tomorrow],
  ['INACTIVE', 'CLOSED', 'user', yesterday],
  ['CLOSED', 'ACTIVE', 'user', null],
  ['INACTIVE', 'DELETED', 'user', yesterday],
  ['CREATED', 'DELETED', 'user', null],
];

const triggers: TransitionTrigger[] = ['user', 'first sync', 'end date'];

test.each(allowed)('%s becomes %s by %s', (from, to, by, endDate) => {
  expect(judgeTransition({ status: from, endDate }, to, { by, today })).toMatchObject({ allowed: true });
});

describe('rejects every other transition and lists the allowed ones', () => {
  const others = locationStatuses.flatMap((from) =>
    locationStatuses.flatMap((to) =>
      triggers
        .filter((by) => from !== to && !allowed.some((move) => move[0] === from && move[1] === to && move[2] === by))
        .map((by) => [from, to, by] as const),
    ),
  );
  test.each(others)('%s does not become %s by %s', (from, to, by) => {
    for (const endDate of [null, yesterday, today, tomorrow]) {
      const judged = judgeTransition({ status: from, endDate }, to, { by, today });
      if (judged.allowed) throw new Error('It was allowed.');
      const targets = allowed.filter(([status]) => status === from).map(([, target]) => target);
      for (const target of targets) expect(judged.message).toContain(target);
      if (targets.length === 0) expect(judged.message).toContain(`No status is allowed after ${from}.`);
    }
  });
});

describe('the end date', () => {
  test('is set by a cancellation, by default to today', () => {
    const active = { status: 'ACTIVE', endDate: null } as const;
    expect(judgeTransition(active, 'CANCELLED', { by: 'user', today })).toEqual({ allowed: true, endDate: today });
    expect(judgeTransition(active, 'CANCELLED', { by: 'user', today, endDate: tomorrow })).toEqual({
      allowed: true,
      endDate: tomorrow,
    });
  });

  test('is removed on reactivation and kept otherwise', () => {
    const cancelled = { status: 'CANCELLED', endDate: tomorrow } as const;
    expect(judgeTransition(cancelled, 'ACTIVE', { by: 'user', today })).toEqual({ allowed: true, endDate: null });
    expect(judgeTransition(cancelled, 'CLOSED', { by: 'user', today })).toEqual({ allowed: true, endDate: tomorrow });
  });

  test.each([
    ['CANCELLED', 'ACTIVE', 'user', today],
    ['CANCELLED', 'INACTIVE', 'end date', today],
    ['CANCELLED', 'ACTIVE', 'user', yesterday],
    ['CANCELLED', 'INACTIVE', 'end date', tomorrow],
    ['INACTIVE', 'DELETED', 'user', today],
    ['INACTIVE', 'DELETED', 'user', tomorrow],
  ] as const)('prevents %s becoming %s by %s with %s', (from, to, by, endDate) => {
    const judged = judgeTransition({ status: from, endDate }, to, { by, today });
    expect(judged).toMatchObject({ allowed: false });
    expect((judged as { message: string }).message).toContain(endDate);
  });
});
