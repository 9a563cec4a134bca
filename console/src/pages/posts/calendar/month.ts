import { localDay } from '../../../parts/days.ts';

/** Months and days are in the browser's time zone. */
export const monthOf = (moment: Date): string => localDay(moment).slice(0, 7);

const firstDay = (month: string): Date => new Date(Number(month.slice(0, 4)), Number(month.slice(5)) - 1, 1);

export const monthAfter = (month: string, months: number): string => {
  const first = firstDay(month);
  return monthOf(new Date(first.getFullYear(), first.getMonth() + months, 1));
};

export function weeksOf(month: string): Date[][] {
  const first = firstDay(month);
  const start = new Date(first.getFullYear(), first.getMonth(), 1 - ((first.getDay() + 6) % 7));
  const weeks: Date[][] = [];
  for (let week = 0; week < 6; week++) {
    const days = Array.from(
      { length: 7 },
      (_, day) => new Date(start.getFullYear(), start.getMonth(), start.getDate() + week * 7 + day),
    );
    if (days.some((day) => monthOf(day) === month)) weeks.push(days);
  }
  return weeks;
}

const monthAndYear = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' });
export const monthText = (month: string): string => monthAndYear.format(firstDay(month));

const weekday = new Intl.DateTimeFormat('en', { weekday: 'short' });
const longWeekday = new Intl.DateTimeFormat('en', { weekday: 'long' });
export const weekdayText = (day: Date): string => weekday.format(day);
export const longWeekdayText = (day: Date): string => longWeekday.format(day);

const long = new Intl.DateTimeFormat('en', { weekday: 'short', day: 'numeric', month: 'long' });
export const longDayText = (day: Date): string => long.format(day);

const time = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
export const timeText = (moment: string): string => time.format(new Date(moment));
