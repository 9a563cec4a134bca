import type { OpeningHours, SpecialOpeningHours } from '../locations/index.ts';
import type { DemoCity } from './demo-address.ts';
import type { BusinessKey } from './demo-business.ts';
import type { SeededRandom } from './seeded-random.ts';

type Country = DemoCity['country'];
/** One or two periods such as 08:00-12:30. Empty: closed. */
type Day = readonly string[];
/** `monday` and `friday` override `weekdays`. */
interface Week {
  weekdays: Day;
  saturday: Day;
  sunday: Day;
  monday?: Day;
  friday?: Day;
}

const bakery: readonly Week[] = [
  { weekdays: ['06:30-18:30'], saturday: ['06:30-14:00'], sunday: ['07:30-11:00'] },
  { weekdays: ['06:00-19:00'], saturday: ['06:30-16:00'], sunday: ['08:00-17:00'] },
  { weekdays: ['06:00-12:30', '14:30-18:30'], saturday: ['06:00-12:30'], sunday: [] },
  { weekdays: ['06:30-13:00', '15:00-18:00'], saturday: ['07:00-13:00'], sunday: ['08:00-11:00'] },
];

const coffee: readonly Week[] = [
  { weekdays: ['07:30-18:00'], saturday: ['08:30-18:00'], sunday: ['09:00-17:00'] },
  { weekdays: ['07:00-17:30'], saturday: ['08:00-17:30'], sunday: [] },
  // Open past midnight on Friday and Saturday.
  { weekdays: ['08:00-22:00'], friday: ['08:00-01:00'], saturday: ['09:00-01:30'], sunday: ['09:30-18:00'] },
];

const frenchCoffee: readonly Week[] = [
  { weekdays: ['08:00-14:00', '15:30-19:00'], monday: [], saturday: ['09:00-19:00'], sunday: ['09:30-13:30'] },
  { weekdays: ['07:45-18:45'], saturday: ['09:00-19:00'], sunday: [] },
  { weekdays: ['08:30-19:00'], friday: ['08:30-00:30'], saturday: ['09:30-01:00'], sunday: ['10:00-18:00'] },
];

const americanFitness: readonly Week[] = [
  { weekdays: ['05:00-23:00'], saturday: ['06:00-21:00'], sunday: ['07:00-20:00'] },
  { weekdays: ['05:00-01:00'], saturday: ['06:00-00:00'], sunday: ['07:00-22:00'] },
  { weekdays: ['00:00-24:00'], saturday: ['00:00-24:00'], sunday: ['00:00-24:00'] },
];

const southernFitness: readonly Week[] = [
  { weekdays: ['07:00-14:30', '16:30-23:00'], saturday: ['09:00-20:00'], sunday: ['09:00-14:00'] },
  { weekdays: ['06:30-23:00'], saturday: ['08:00-20:00'], sunday: ['09:00-15:00'] },
  {
    weekdays: ['06:30-23:30'],
    friday: ['06:30-00:30'],
    saturday: ['09:00-00:30'],
    sunday: ['10:00-14:00', '17:00-21:00'],
  },
];

export function openingHoursOf(key: BusinessKey, country: Country, random: SeededRandom): OpeningHours[] {
  const week = random.pick(weeksOf(key, country));
  const { weekdays, monday = weekdays, friday = weekdays, saturday, sunday } = week;
  return [monday, weekdays, weekdays, weekdays, friday, saturday, sunday].map((day, index) => ({
    dayOfWeek: index + 1,
    ...periodsOf(day),
  }));
}

function weeksOf(key: BusinessKey, country: Country): readonly Week[] {
  if (key === 'bakery') return bakery;
  if (key === 'coffee') return country === 'FR' ? frenchCoffee : coffee;
  return country === 'US' ? americanFitness : southernFitness;
}

function periodsOf([first, second]: Day): Omit<OpeningHours, 'dayOfWeek'> {
  if (first === undefined) return { closed: true };
  const [from1 = '', to1 = ''] = first.split('-');
  const [from2 = '', to2 = ''] = second?.split('-') ?? [];
  return { from1, to1, ...(second !== undefined && { from2, to2 }) };
}

/** National holidays (MM-DD), in addition to 01-01 and 12-25. */
const nationalDays: Record<Country, readonly string[]> = {
  AT: ['10-26', '12-26'],
  CH: ['08-01', '12-26'],
  DE: ['10-03', '12-26'],
  ES: ['10-12', '12-06'],
  FR: ['07-14', '11-11'],
  GB: ['12-26'],
  IE: ['03-17', '12-26'],
  IT: ['06-02', '08-15'],
  US: ['07-04'],
};

/** Holidays within a year from `today` (YYYY-MM-DD), and shorter hours on 12-24 and 12-31. */
export function specialHoursOf(country: Country, today: string): SpecialOpeningHours[] {
  const next = (monthDay: string): string => {
    const year = Number(today.slice(0, 4));
    return `${monthDay >= today.slice(5) ? year : year + 1}-${monthDay}`;
  };
  const closed = ['01-01', '12-25', ...nationalDays[country]].map((day) => ({ date: next(day), closed: true }));
  const short = ['12-24', '12-31'].map((day) => ({ date: next(day), from1: '08:00', to1: '13:00' }));
  return [...closed, ...short].sort((a, b) => (a.date < b.date ? -1 : 1));
}
