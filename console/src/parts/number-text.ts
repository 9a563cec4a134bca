const whole = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
const hundredths = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const decimal = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** 12,345 */
export const numberText = (value: number): string => whole.format(value);
/** 12.3K */
export const shortNumber = (value: number): string => compact.format(value);
/** 0.985 → 98.5% */
export const percentText = (share: number): string => percent.format(share);
/** 4.3 */
export const decimalText = (value: number): string => decimal.format(value);
/** 4.31, 4.5, 4 */
export const shortDecimalText = (value: number): string => hundredths.format(value);

/** "+1.2", "−0.3" (U+2212); undefined for a change that rounds to zero. */
export function signedText(change: number, text: (value: number) => string): string | undefined {
  const size = text(Math.abs(change));
  return size === text(0) ? undefined : `${change > 0 ? '+' : '−'}${size}`;
}

/** 1.4 MB */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}
