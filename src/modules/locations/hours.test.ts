import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkOpeningHours, checkSpecialOpeningHours, type OpeningHours } from './hours.ts';

const rulesOf = (given: readonly object[]) => {
  const checked = checkOpeningHours(given as OpeningHours[]);
  return 'errors' in checked ? checked.errors.map(({ field, rule }) => `${field} ${rule}`) : [];
};

const stored = (given: OpeningHours[]) => {
  const checked = checkOpeningHours(given);
  if ('errors' in checked) throw new Error(JSON.stringify(checked.errors));
  return checked.value;
};

describe('opening hours are stored', () => {
  test('by day of the week, with two-digit hours and closed days without times', () => {
    const given = [
      { dayOfWeek: 7, closed: true },
      { dayOfWeek: 1, closed: false, from1: '8:00', to1: '12:30', from2: '14:00', to2: '18:00' },
    ];
    expect(stored(given)).toEqual([
      { dayOfWeek: 1, from1: '08:00', to1: '12:30', from2: '14:00', to2: '18:00' },
      { dayOfWeek: 7, closed: true },
    ]);
  });

  test('past midnight', () => {
    const night = [{ dayOfWeek: 5, from1: '18:00', to1: '02:00' }];
    expect(stored(night)).toEqual(night);
    const lunchAndNight = [{ dayOfWeek: 5, from1: '11:00', to1: '15:00', from2: '22:00', to2: '04:00' }];
    expect(stored(lunchAndNight)).toEqual(lunchAndNight);
  });

  test('around the clock, and with adjacent periods', () => {
    const week = [
      { dayOfWeek: 1, from1: '00:00', to1: '24:00' },
      { dayOfWeek: 2, from1: '00:00', to1: '00:00' },
      { dayOfWeek: 3, from1: '08:00', to1: '12:00', from2: '12:00', to2: '18:00' },
    ];
    expect(stored(week)).toEqual(week);
  });

  test('with the earlier period first', () => {
    expect(stored([{ dayOfWeek: 1, from1: '14:00', to1: '18:00', from2: '08:00', to2: '12:00' }])).toEqual([
      { dayOfWeek: 1, from1: '08:00', to1: '12:00', from2: '14:00', to2: '18:00' },
    ]);
  });
});

describe('opening hours are rejected', () => {
  test.each([
    [
      'periods that overlap',
      [{ dayOfWeek: 1, from1: '08:00', to1: '13:00', from2: '12:00', to2: '18:00' }],
      'openingHours[0].from2 overlap',
    ],
    [
      'a second period within a night',
      [{ dayOfWeek: 1, from1: '20:00', to1: '04:00', from2: '22:00', to2: '23:00' }],
      'openingHours[0].from2 overlap',
    ],
    [
      'three periods',
      [{ dayOfWeek: 1, from1: '08:00', to1: '09:00', from2: '10:00', to2: '11:00', from3: '12:00', to3: '13:00' }],
      'openingHours[0].from3 maxPeriods',
    ],
    [
      'a day twice',
      [
        { dayOfWeek: 1, from1: '08:00', to1: '09:00' },
        { dayOfWeek: 1, from1: '10:00', to1: '11:00' },
      ],
      'openingHours[1].dayOfWeek unique',
    ],
    [
      'closed with times',
      [{ dayOfWeek: 1, closed: true, from1: '08:00', to1: '09:00' }],
      'openingHours[0].closed closedWithTimes',
    ],
    ['neither closed nor times', [{ dayOfWeek: 1 }], 'openingHours[0].from1 required'],
    ['a start without an end', [{ dayOfWeek: 1, from1: '08:00' }], 'openingHours[0].to1 required'],
    [
      'a second period without a first',
      [{ dayOfWeek: 1, from2: '08:00', to2: '09:00' }],
      'openingHours[0].from1 required',
    ],
    ['an empty period', [{ dayOfWeek: 1, from1: '08:00', to1: '08:00' }], 'openingHours[0].to1 empty'],
    ['a start at 24:00', [{ dayOfWeek: 1, from1: '24:00', to1: '08:00' }], 'openingHours[0].from1 time'],
    [
      'a night that lasts until after the next day opens',
      [
        { dayOfWeek: 1, from1: '22:00', to1: '06:00' },
        { dayOfWeek: 2, from1: '05:00', to1: '12:00' },
      ],
      'openingHours overlap',
    ],
    [
      'a Sunday night that lasts until after Monday opens',
      [
        { dayOfWeek: 1, from1: '05:00', to1: '12:00' },
        { dayOfWeek: 7, from1: '22:00', to1: '06:00' },
      ],
      'openingHours overlap',
    ],
  ])('%s', (_, given, rule) => {
    expect(rulesOf(given)).toEqual([rule]);
  });
});

test('names the missing first period when only the second is set', () => {
  expect(checkOpeningHours([{ dayOfWeek: 1, from2: '08:00', to2: '09:00' }])).toMatchObject({
    errors: [
      { message: 'openingHours[0] has a second period without a first. Use from1 and to1 for a single period.' },
    ],
  });
});

describe('special opening hours', () => {
  test('are stored by date', () => {
    const given = [
      { date: '2026-12-31', from1: '8:00', to1: '14:00' },
      { date: '2026-12-24', closed: true },
    ];
    expect(checkSpecialOpeningHours(given)).toEqual({
      value: [
        { date: '2026-12-24', closed: true },
        { date: '2026-12-31', from1: '08:00', to1: '14:00' },
      ],
    });
  });

  test('reject an invalid or repeated date', () => {
    expect(checkSpecialOpeningHours([{ date: '2026-02-30', closed: true }])).toMatchObject({
      errors: [{ field: 'specialOpeningHours[0].date', rule: 'date' }],
    });
    const twice = [
      { date: '2026-12-24', closed: true },
      { date: '2026-12-24', from1: '08:00', to1: '12:00' },
    ];
    expect(checkSpecialOpeningHours(twice)).toMatchObject({ errors: [{ rule: 'unique' }] });
  });
});

const minute = fc.integer({ min: 0, max: 24 * 60 - 1 });
const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
const dayArbitrary = fc.record({
  dayOfWeek: fc.integer({ min: 1, max: 7 }),
  times: fc.array(minute, { minLength: 2, maxLength: 4 }).map((times) => times.slice(0, times.length === 3 ? 2 : 4)),
});

/** Open minutes of the week, computed independently of the implementation. */
function openMinutes(week: readonly OpeningHours[]): number[] {
  return week.flatMap(({ dayOfWeek, from1, to1, from2, to2 }) =>
    [
      [from1, to1],
      [from2, to2],
    ].flatMap(([from, to]) => {
      if (from === undefined || to === undefined) return [];
      const [start, end] = [from, to].map((time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) as [
        number,
        number,
      ];
      const length = end > start ? end - start : end + 1440 - start;
      return Array.from({ length }, (_, n) => ((dayOfWeek - 1) * 1440 + start + n) % (7 * 1440));
    }),
  );
}

test('rejects exactly the hours that overlap, and is idempotent', () => {
  fc.assert(
    fc.property(fc.uniqueArray(dayArbitrary, { selector: ({ dayOfWeek }) => dayOfWeek, maxLength: 7 }), (days) => {
      const week = days.map(({ dayOfWeek, times: [a, b, c, d] }) => ({
        dayOfWeek,
        ...(a !== undefined && b !== undefined && { from1: clock(a), to1: clock(b) }),
        ...(c !== undefined && d !== undefined && { from2: clock(c), to2: clock(d) }),
      }));
      const checked = checkOpeningHours(week);
      const minutes = openMinutes(week);
      const hasOverlap = new Set(minutes).size < minutes.length;
      if ('value' in checked) {
        expect(hasOverlap).toBe(false);
        expect(checkOpeningHours(checked.value)).toEqual(checked);
        expect(new Set(openMinutes(checked.value))).toEqual(new Set(minutes));
      } else if (checked.errors.every(({ rule }) => rule === 'overlap')) {
        expect(hasOverlap).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});
