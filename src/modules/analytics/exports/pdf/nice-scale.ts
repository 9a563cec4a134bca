/** Values of an axis from zero up: round, evenly spaced, few, and one at or above the largest. */
export function niceScale(largest: number, mostSteps = 5): number[] {
  if (!(largest > 0)) return [0, 1];
  const raw = largest / mostSteps;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= raw * (1 - 1e-9)) ?? 10) * power;
  // Counts have no halves.
  const whole = largest >= mostSteps ? Math.max(1, Math.round(step * 1e6) / 1e6) : Math.max(1, Math.ceil(step));
  const steps = Math.ceil(largest / whole - 1e-9);
  return Array.from({ length: steps + 1 }, (_, index) => index * whole);
}

/** Which of so many labels to show, at even distances, so that none touches the next. */
export function shownLabels(count: number, most: number): number[] {
  if (count <= 0) return [];
  const distance = Math.max(1, Math.ceil(count / Math.max(1, most)));
  return Array.from({ length: Math.ceil(count / distance) }, (_, index) => index * distance);
}
