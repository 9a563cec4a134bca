export const sumOf = <T>(entries: readonly T[], value: (entry: T) => number): number =>
  entries.reduce((sum, entry) => sum + value(entry), 0);

/** Null without values. */
export const averageOf = (sum: number, count: number): number | null => (count > 0 ? sum / count : null);

/** With two decimals. */
export function rounded(value: number): number;
export function rounded(value: number | null): number | null;
export function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 100) / 100;
}
