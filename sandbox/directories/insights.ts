import type { BusinessKind } from '../activity/business-kind.ts';
import { gaussian, seededRandom } from '../activity/seeded-random.ts';

const dayMs = 86_400_000;

/** Relative demand per weekday, Monday first. */
const weeks: Record<BusinessKind, readonly number[]> = {
  food: [0.72, 0.78, 0.85, 0.98, 1.25, 1.4, 1.02],
  lodging: [0.92, 0.9, 0.92, 0.98, 1.12, 1.14, 1.02],
  health: [1.35, 1.22, 1.15, 1.18, 1.05, 0.58, 0.47],
  beauty: [0.95, 1.05, 1.1, 1.18, 1.3, 1.02, 0.4],
  office: [1.3, 1.28, 1.24, 1.22, 1.1, 0.46, 0.4],
  car: [1.2, 1.1, 1.08, 1.08, 1.12, 1.0, 0.42],
  shop: [0.95, 0.92, 0.95, 1.0, 1.15, 1.45, 0.58],
};

export interface InsightSource {
  seed: number;
  directory: string;
  page: string;
  kind: BusinessKind;
}

/**
 * Generates the count of a metric on a day (YYYY-MM-DD) from the page's interest, weekday, season, growth and noise.
 * Deterministic for a page and day.
 */
export function insightCounter({ seed, directory, page, kind }: InsightSource) {
  const own = seededRandom(seed, directory, page);
  const interest = Math.exp(gaussian(own) * 0.55);
  const growthPerYear = -0.08 + own() * 0.4;
  return (metric: string, level: number, day: string): number => {
    const date = new Date(`${day}T00:00:00Z`);
    const years = (date.getTime() - Date.UTC(2024, 0, 1)) / dayMs / 365.25;
    const week = weeks[kind][(date.getUTCDay() + 6) % 7] as number;
    const yearAngle = ((date.getUTCMonth() + date.getUTCDate() / 31) / 12) * 2 * Math.PI;
    const season = kind === 'shop' ? 1 + 0.16 * Math.cos(yearAngle) : 1 - 0.13 * Math.cos(yearAngle);
    const expected = level * interest * week * season * Math.max(0.3, 1 + growthPerYear * years);
    const noise = gaussian(seededRandom(seed, page, metric, day));
    return Math.max(0, Math.round(expected + Math.sqrt(expected) * noise));
  };
}

/** Both days are included. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(`${from}T00:00:00Z`); at <= Date.parse(`${to}T00:00:00Z`); at += dayMs) {
    days.push(dayOf(at));
  }
  return days;
}

export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
