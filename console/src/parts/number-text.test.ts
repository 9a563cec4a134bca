import { expect, test } from 'vitest';
import { changeText as metricChange } from '../pages/home/metric-text.ts';
import { decimalText, numberText, signedText } from './number-text.ts';

test('formats a change with its sign, and omits changes that round to zero', () => {
  expect(signedText(-1.25, decimalText)).toBe('−1.3');
  expect(signedText(12, numberText)).toBe('+12');
  expect(signedText(-0.04, decimalText)).toBeUndefined();
  expect(signedText(0, numberText)).toBeUndefined();
});

const metric = (unit: string, change: number, changePercent: number | null) =>
  metricChange({ unit, change, changePercent, trend: 'UP' } as never);

test('never shows a zero change', () => {
  expect(metric('PERCENT', -0.04, -0.05)).toBe('Unchanged');
  expect(metric('PERCENT', -0.4, -0.5)).toBe('−0.4 points');
  expect(metric('POINTS', 2, 2.3)).toBe('+2.0');
  expect(metric('STARS', 0.04, 1)).toBe('+0.04');
  // 1 of 100,000 is 0.0 %, so show the number.
  expect(metric('COUNT', 1, 0)).toBe('+1');
  expect(metric('COUNT', 50, 5)).toBe('+5.0%');
});
