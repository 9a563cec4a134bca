import { decimalText, shortDecimalText } from '../../parts/number-text.ts';
import { t } from '../../texts/t.ts';

const oneDecimal = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

type Maybe = number | null | undefined;

export const ratingText = (rating: Maybe): string =>
  rating === null || rating === undefined ? t('dashboard.key.none') : shortDecimalText(rating);

export const hoursText = (hours: Maybe): string =>
  hours === null || hours === undefined
    ? t('dashboard.key.none')
    : t('dashboard.key.hours', { hours: oneDecimal.format(hours) });

export const shareText = (percent: Maybe): string =>
  percent === null || percent === undefined ? t('dashboard.key.none') : `${decimalText(percent)}%`;

export const pointsText = (points: number): string => t('dashboard.points', { points: decimalText(points) });

/** Chart rows that align the current and the previous period by day. */
export function beside<T extends { period: string }>(
  now: readonly T[],
  before: readonly T[] | undefined,
  value: (entry: T) => number | null,
): { period: string; now: number | null; before: number | null }[] {
  return now.map((entry, index) => {
    const then = before?.[index];
    return { period: entry.period, now: value(entry), before: then === undefined ? null : value(then) };
  });
}
