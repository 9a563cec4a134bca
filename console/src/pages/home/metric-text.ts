import type { ResponseOf } from '../../api/call.ts';
import { decimalText, numberText, shortDecimalText, signedText } from '../../parts/number-text.ts';
import { t } from '../../texts/t.ts';

export type KeyMetric = ResponseOf<'GET /api/home/key-metrics'>['metrics'][number];
type Unit = KeyMetric['unit'];

export function metricNumber(value: number, unit: Unit): string {
  if (unit === 'COUNT') return numberText(Math.round(value));
  if (unit === 'STARS') return shortDecimalText(value);
  return Number.isInteger(value) ? numberText(value) : decimalText(value);
}

/** Rounded like the value itself, so a change of 0.04 to 84.4 counts as none. */
const changeNumber = (value: number, unit: Unit): string =>
  unit === 'COUNT' || unit === 'STARS' ? metricNumber(value, unit) : decimalText(value);

export const unitText = (unit: Unit): string => t(`home.metrics.units.${unit}`);

export function changeText({ change, changePercent, unit, trend }: KeyMetric): string {
  if (trend === 'UNKNOWN' || change === null) return t('home.metrics.unknown');
  const share = unit === 'COUNT' && changePercent !== null ? signedText(changePercent, decimalText) : undefined;
  if (share !== undefined) return `${share}%`;
  const shown = signedText(change, (value) => changeNumber(value, unit));
  if (shown === undefined) return t('home.metrics.same');
  return unit === 'PERCENT' ? t('home.metrics.points', { points: shown }) : shown;
}
