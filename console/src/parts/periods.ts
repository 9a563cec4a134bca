export const ranges = ['1h', '24h', '7d', '30d'] as const;
export const periods = ['1h', '24h', '7d', '30d', 'own'] as const;

export type Range = (typeof ranges)[number];

const hourMs = 3_600_000;
export const rangeMs: Record<Range, number> = {
  '1h': hourMs,
  '24h': 24 * hourMs,
  '7d': 168 * hourMs,
  '30d': 720 * hourMs,
};

/** Period filter in the URL. */
export interface PeriodSearch {
  period?: (typeof periods)[number] | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

export function periodOf({ period, since, until }: PeriodSearch, now: number) {
  if (period === undefined) return {};
  if (period !== 'own') return { since: new Date(now - rangeMs[period]).toISOString() };
  const [from, to] = [momentOf(since), momentOf(until)];
  return { ...(from && { since: from }), ...(to && { until: to }) };
}

/** Parses a date input such as 2026-11-15T09:30. */
export function momentOf(local: string | undefined): string | undefined {
  const moment = new Date(local ?? '');
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}

/** Formats for a date input. */
export function localText(moment: Date): string {
  const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
