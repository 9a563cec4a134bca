import type { ResponseOf } from '../../api/call.ts';
import { decimalText, numberText } from '../../parts/number-text.ts';
import { t } from '../../texts/t.ts';

export type KeyMetric = ResponseOf<'GET /api/home/key-metrics'>['metrics'][number];
type Unit = KeyMetric['unit'];

const twoDecimals = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

/** The figure itself; its unit stands beside it. */
export function metricNumber(value: number, unit: Unit): string {
  if (unit === 'COUNT') return numberText(Math.round(value));
  if (unit === 'STARS') return twoDecimals.format(value);
  return Number.isInteger(value) ? numberText(value) : decimalText(value);
}

export const unitText = (unit: Unit): string => t(`home.metrics.units.${unit}`);

/** "+12 %", "−0.3", or that nothing changed. */
export function changeText({ change, changePercent, unit, trend }: KeyMetric): string {
  if (trend === 'UNKNOWN' || change === null) return t('home.metrics.unknown');
  if (change === 0) return t('home.metrics.same');
  const sign = change > 0 ? '+' : '−';
  const isShare = unit === 'COUNT' && changePercent !== null;
  if (isShare) return `${sign}${decimalText(Math.abs(changePercent))}%`;
  return `${sign}${metricNumber(Math.abs(change), unit)}${unit === 'PERCENT' ? ' points' : ''}`;
}
