import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Hours, openAt } from './open-now.ts';

const berlin: Hours = { timeZone: 'Europe/Berlin', temporarilyClosed: false };
const isOpen = (hours: Hours, moment: string) => openAt(new Date(moment))(hours);
const everyDay = (periods: object) => [1, 2, 3, 4, 5, 6, 7].map((dayOfWeek) => ({ dayOfWeek, ...periods }));

describe('weekly hours', () => {
  // 2026-11-16 is a Monday; Berlin is UTC+1.
  const hours = {
    ...berlin,
    openingHours: [
      { dayOfWeek: 1, from1: '08:00', to1: '12:00', from2: '14:00', to2: '18:00' },
      { dayOfWeek: 2, closed: true },
      { dayOfWeek: 5, from1: '20:00', to1: '02:00' },
    ],
  };

  test.each([
    ['2026-11-16T06:59:59Z', false, 'before it opens'],
    ['2026-11-16T07:00:00Z', true, 'the moment it opens'],
    ['2026-11-16T10:59:59Z', true, 'the last moment of the first period'],
    ['2026-11-16T11:00:00Z', false, 'between two periods'],
    ['2026-11-16T13:00:00Z', true, 'in the second period'],
    ['2026-11-16T17:00:00Z', false, 'the moment it closes'],
    ['2026-11-17T10:00:00Z', false, 'on a closed day'],
    ['2026-11-18T10:00:00Z', false, 'on a day that is not named'],
    ['2026-11-20T20:00:00Z', true, 'in the evening'],
    ['2026-11-21T00:59:00Z', true, 'past midnight'],
    ['2026-11-21T01:00:00Z', false, 'when the night is over'],
    ['2026-11-21T20:00:00Z', false, 'the evening after'],
  ])('%s is %s: %s', (moment, open) => {
    expect(isOpen(hours, moment)).toBe(open);
  });

  test('use the time zone of the location', () => {
    const open = { openingHours: everyDay({ from1: '09:00', to1: '17:00' }) };
    const moment = '2026-11-16T21:30:00Z';
    expect(isOpen({ ...berlin, ...open }, moment)).toBe(false);
    expect(isOpen({ ...berlin, ...open, timeZone: 'America/Los_Angeles' }, moment)).toBe(true);
    expect(isOpen({ ...berlin, ...open, timeZone: 'Pacific/Kiritimati' }, moment)).toBe(true);
  });

  test('00:00 to 24:00 and 00:00 to 00:00 are all day', () => {
    for (const to1 of ['24:00', '00:00']) {
      const openingHours = [{ dayOfWeek: 1, from1: '00:00', to1 }];
      expect(isOpen({ ...berlin, openingHours }, '2026-11-15T23:00:00Z')).toBe(true);
      expect(isOpen({ ...berlin, openingHours }, '2026-11-16T22:59:00Z')).toBe(true);
      expect(isOpen({ ...berlin, openingHours }, '2026-11-16T23:00:00Z')).toBe(false);
    }
  });

  test('continue from Sunday night into Monday', () => {
    const openingHours = [{ dayOfWeek: 7, from1: '22:00', to1: '04:00' }];
    expect(isOpen({ ...berlin, openingHours }, '2026-11-16T02:00:00Z')).toBe(true);
  });
});

describe('special hours', () => {
  const hours = {
    ...berlin,
    openingHours: everyDay({ from1: '18:00', to1: '02:00' }),
    specialOpeningHours: [
      { date: '2026-12-25', closed: true },
      { date: '2026-12-31', from1: '18:00', to1: '05:00' },
    ],
  };

  test('replace weekly hours', () => {
    expect(isOpen(hours, '2026-12-25T20:00:00Z')).toBe(false);
    expect(isOpen(hours, '2027-01-01T03:00:00Z')).toBe(true);
    expect(isOpen(hours, '2027-01-02T03:00:00Z')).toBe(false);
  });

  test('do not end a period of the previous day', () => {
    expect(isOpen(hours, '2026-12-25T00:30:00Z')).toBe(true);
    expect(isOpen(hours, '2026-12-25T01:00:00Z')).toBe(false);
  });

  test('without weekly hours apply to their days only', () => {
    const special = { ...berlin, specialOpeningHours: [{ date: '2026-12-24', from1: '10:00', to1: '14:00' }] };
    expect(isOpen(special, '2026-12-24T10:00:00Z')).toBe(true);
    expect(isOpen(special, '2026-12-24T15:00:00Z')).toBe(false);
    expect(isOpen(special, '2026-12-26T10:00:00Z')).toBeUndefined();
  });
});

describe('other conditions', () => {
  const hours = { ...berlin, openingHours: everyDay({ from1: '00:00', to1: '24:00' }) };

  test('is undefined without hours or time zone', () => {
    expect(isOpen(berlin, '2026-11-16T10:00:00Z')).toBeUndefined();
    expect(isOpen({ ...hours, timeZone: null }, '2026-11-16T10:00:00Z')).toBeUndefined();
  });

  test('is closed when temporarily closed or before the opening date', () => {
    expect(isOpen({ ...hours, temporarilyClosed: true }, '2026-11-16T10:00:00Z')).toBe(false);
    expect(isOpen({ ...hours, openingDate: '2026-11-17' }, '2026-11-16T22:59:00Z')).toBe(false);
    expect(isOpen({ ...hours, openingDate: '2026-11-17' }, '2026-11-16T23:00:00Z')).toBe(true);
  });
});

describe('daylight saving time', () => {
  test('closes once in a repeated hour', () => {
    // On 2026-10-25 at 01:00Z Berlin goes from 03:00 back to 02:00.
    const hours = { ...berlin, openingHours: everyDay({ from1: '22:00', to1: '02:30' }) };
    expect(isOpen(hours, '2026-10-25T00:29:00Z')).toBe(true);
    expect(isOpen(hours, '2026-10-25T00:30:00Z')).toBe(false);
    expect(isOpen(hours, '2026-10-25T01:15:00Z')).toBe(false);
    expect(isOpen(hours, '2026-10-25T01:45:00Z')).toBe(false);
  });

  test('stays open through a repeated hour', () => {
    const hours = { ...berlin, openingHours: everyDay({ from1: '22:00', to1: '03:00' }) };
    expect(isOpen(hours, '2026-10-25T01:59:00Z')).toBe(true);
    expect(isOpen(hours, '2026-10-25T02:00:00Z')).toBe(false);
  });

  test('opens after a skipped hour', () => {
    // On 2026-03-29 at 01:00Z Berlin goes from 02:00 to 03:00.
    const hours = { ...berlin, openingHours: everyDay({ from1: '02:30', to1: '12:00' }) };
    expect(isOpen(hours, '2026-03-29T00:59:00Z')).toBe(false);
    expect(isOpen(hours, '2026-03-29T01:00:00Z')).toBe(true);
    const within = { ...berlin, openingHours: everyDay({ from1: '02:10', to1: '02:50' }) };
    expect(isOpen(within, '2026-03-29T00:59:00Z')).toBe(false);
    expect(isOpen(within, '2026-03-29T01:00:00Z')).toBe(false);
  });
});

const minuteMs = 60_000;
/** Days with DST changes of an hour or half an hour, also at midnight, and ordinary days. */
const days = [
  '2026-03-08',
  '2026-03-29',
  '2026-04-05',
  '2026-10-04',
  '2026-10-25',
  '2026-11-01',
  '2026-09-06',
  '2026-06-15',
];
const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Africa/Casablanca',
  'Asia/Kathmandu',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
  'America/St_Johns',
  'UTC',
];

const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

const formats = new Map(
  zones.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }),
  ]),
);

/** Local date and time, comparable as text. */
const shown = (zone: string, moment: number) => formats.get(zone)?.format(moment) ?? '';

const dayAfter = (date: string, count: number) =>
  new Date(Date.parse(date) + count * 24 * 60 * minuteMs).toISOString().slice(0, 10);

describe('in every zone', () => {
  test('is open from the first local start time to the first local end time', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.constantFrom(...days),
        fc.nat(24 * 60 - 1),
        fc.nat(24 * 60 - 1),
        (timeZone, date, start, end) => {
          fc.pre(start !== end);
          const hours: Hours = {
            timeZone,
            temporarilyClosed: false,
            specialOpeningHours: [-2, -1, 0, 1, 2, 3].map((count) =>
              count === 0
                ? { date, from1: clock(start), to1: clock(end) }
                : { date: dayAfter(date, count), closed: true },
            ),
          };
          const opens = `${date} ${clock(start)}`;
          const closes = `${end < start ? dayAfter(date, 1) : date} ${clock(end)}`;
          let hasOpened = false;
          let hasClosed = false;
          const from = Date.parse(date) - 15 * 60 * minuteMs;
          for (let moment = from; moment < from + 62 * 60 * minuteMs; moment += minuteMs) {
            const text = shown(timeZone, moment);
            hasOpened ||= text >= opens;
            hasClosed ||= text >= closes;
            if (openAt(new Date(moment))(hours) !== (hasOpened && !hasClosed)) return false;
          }
          return true;
        },
      ),
      { numRuns: 50 },
    );
  }, 120_000);

  test('has no gap around the clock', () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 366 * 24 * 60 }), (timeZone, minute) => {
        const moment = new Date(Date.UTC(2026, 0, 1) + minute * minuteMs);
        const openingHours = everyDay({ from1: '00:00', to1: '12:00', from2: '12:00', to2: '24:00' });
        return openAt(moment)({ timeZone, temporarilyClosed: false, openingHours }) === true;
      }),
    );
  });

  test('is either open overnight or in the complement', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 0, max: 366 * 24 * 60 }),
        fc.integer({ min: 1, max: 24 * 60 - 1 }),
        fc.integer({ min: 1, max: 24 * 60 - 1 }),
        (timeZone, minute, one, other) => {
          fc.pre(one !== other);
          const [early, late] = [Math.min(one, other), Math.max(one, other)].map(clock) as [string, string];
          const moment = new Date(Date.UTC(2026, 0, 1) + minute * minuteMs);
          const at = (from1: string, to1: string) =>
            openAt(moment)({ timeZone, temporarilyClosed: false, openingHours: everyDay({ from1, to1 }) });
          return at(early, late) !== at(late, early);
        },
      ),
    );
  });
});
