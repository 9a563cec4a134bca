import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiProblem } from '../api/api-problem.ts';
import { breakingChangesBetween, type Version } from '../pages/api/versions.ts';
import { t, textOrWords, tn } from '../texts/t.ts';
import { bytesText } from './number-text.ts';
import { day, flag, manyOf, oneOf, oneOfNumbers, searchParams, text, wholeNumber } from './search-params.ts';
import { durationText, localTimes, minuteText, relativeTime } from './time-text.ts';

test('formats times in API messages', () => {
  const [whole, offset] = ['2026-12-24T08:30:15.123Z', '2026-12-24T10:00:00+02:00'];
  expect(localTimes(`Paused until ${whole}. Since ${offset}, for 3 days.`)).toBe(
    `Paused until ${minuteText(whole)}. Since ${minuteText(offset)}, for 3 days.`,
  );
  const errors = [{ field: 'dateEnd', rule: 'future', message: `dateEnd (${whole}) is in the past.` }];
  const problem = new ApiProblem(409, { message: `A rotation is under way until ${whole}.`, errors });
  expect(problem.message + problem.fields[0]?.message).not.toContain('T08:30');
});

test('names the time zone of times', () => {
  expect(minuteText('2026-12-24T08:30:15.123Z')).toMatch(/^Dec 2\d, 2026, \d+:\d\d\s[AP]M \S+$/);
});

describe('search parameters', () => {
  const read = searchParams({
    query: text,
    offset: wholeNumber,
    open: flag,
    since: day,
    days: oneOfNumbers([7, 30]),
    sort: oneOf(['name', 'city']),
    state: manyOf(['A', 'B', 'C']),
  });

  test('are parsed, and invalid values are ignored', () => {
    expect(
      read({
        query: 'harbour',
        offset: 50,
        open: true,
        since: '2026-11-15',
        days: 7,
        sort: 'city',
        state: ['C', 'A', 'X'],
        more: 1,
      }),
    ).toEqual({
      query: 'harbour',
      offset: 50,
      open: true,
      since: '2026-11-15',
      days: 7,
      sort: 'city',
      state: ['A', 'C'],
    });
    expect(read({ query: ' ', offset: -1, open: 'yes', since: 'yesterday', sort: 'zip', state: 'X' })).toEqual({});
    expect(read({ since: '2026-02-30', days: 45 })).toEqual({});
    expect(read({ since: '2026-99-99', days: 0 })).toEqual({});
    expect(read({ query: 12, offset: '7', state: 'B' })).toEqual({ query: '12', offset: 7, state: ['B'] });
  });

  test('accept any input', () => {
    const names = fc.constantFrom('query', 'offset', 'open', 'since', 'sort', 'state');
    fc.assert(
      fc.property(fc.dictionary(names, fc.anything()), (given) => {
        const { offset = 0, state = [] } = read(given);
        expect(Number.isSafeInteger(offset) && offset >= 0).toBe(true);
        expect(state.every((one) => ['A', 'B', 'C'].includes(one))).toBe(true);
      }),
    );
  });
});

test('fills in values and chooses plural forms', () => {
  expect(t('users.saved', { email: 'a@example.com' })).toBe('a@example.com was saved.');
  expect([tn('parts.list.count', 1), tn('parts.list.count', 12_345)]).toEqual(['1 result', '12,345 results']);
  expect(textOrWords('users.roles', 'ADMIN')).toBe('Administrator');
  expect(textOrWords('users.roles', 'NIGHT_WATCH')).toBe('Night watch');
});

test('formats times', () => {
  const now = Date.parse('2026-11-15T12:00:00Z');
  const said = (seconds: number) => relativeTime(new Date(now + seconds * 1000), now);
  expect([said(0), said(-42), said(-180), said(7200), said(-86_400 * 3)]).toEqual([
    'just now',
    '42 seconds ago',
    '3 minutes ago',
    'in 2 hours',
    '3 days ago',
  ]);
  expect([340, 1000, 1234, 61_000, 7_500_000].map(durationText)).toEqual([
    '340 ms',
    '1 s',
    '1.2 s',
    '1 min 1 s',
    '2 h 5 min',
  ]);
  expect([0, 999, 1400, 2_500_000].map(bytesText)).toEqual(['0 B', '999 B', '1.4 kB', '2.5 MB']);
});

test('lists breaking changes between two versions in both directions', () => {
  const versions = [
    ['20230407', 'BREAKING'],
    ['20220222', 'BREAKING'],
    ['20210215', 'ADDITIVE'],
    ['20210214', 'BREAKING'],
  ].map(([version = '', kind]) => ({ version, kind }) as Version);
  const between = (one: string, other: string) =>
    breakingChangesBetween(versions, one, other).map(({ version }) => version);
  expect(between('20210214', '20230407')).toEqual(['20220222', '20230407']);
  expect(between('20230407', '20210214')).toEqual(['20220222', '20230407']);
  expect(between('20210214', '20210215')).toEqual([]);
});
