/** The requests: every endpoint for one, 200 and all locations. */
import { dayOf, daysAfter } from '../../src/values/span.ts';

const yesterday = daysAfter(dayOf(new Date()), -1);
export const year = { from: daysAfter(yesterday, -364), to: yesterday };

const thirtyDays = `startDate=${daysAfter(yesterday, -29)}&endDate=${yesterday}`;
const twelveMonths = `startDate=${year.from}&endDate=${year.to}&group=MONTH`;

/** Endpoints with days and periods; the others return the current state. */
const endpoints: Record<string, { path: string; has: 'periods' | 'days' | 'neither' }> = {
  customerFeedback: { path: 'customer-feedback', has: 'days' },
  feedbackByPeriod: { path: 'customer-feedback/by-period', has: 'periods' },
  feedbackKeywords: { path: 'customer-feedback-keywords', has: 'days' },
  reviewResponseTime: { path: 'review-response-time', has: 'periods' },
  insightsData: { path: 'insights-data?type=GOOGLE', has: 'periods' },
  insightWarnings: { path: 'insights-data/warnings', has: 'neither' },
  dataAvailability: { path: 'data-availability', has: 'neither' },
  searchKeywords: { path: 'search-keywords', has: 'days' },
  listingHealth: { path: 'listing-health', has: 'neither' },
  profileCompleteness: { path: 'profile-completeness', has: 'neither' },
  visibilityIndex: { path: 'visibility-index', has: 'periods' },
  suppressedDuplicates: { path: 'suppressed-duplicates', has: 'neither' },
};

export const requestNames = Object.keys(endpoints);

export const scales = ['one30Days', 'twoHundred30Days', 'twoHundred12Months', 'all30Days', 'all12Months'] as const;
export type Scale = (typeof scales)[number];

/** The nth request, with different locations each time. */
export function pathOf(name: string, scale: Scale, locationIds: readonly number[], n: number): string {
  const { path = '', has = 'neither' } = endpoints[name] ?? {};
  const span = scale.endsWith('12Months') ? twelveMonths : thirtyDays;
  const days = has === 'periods' ? span : span.replace('&group=MONTH', '');
  const query = [...(has === 'neither' ? [] : [days]), ...scopeOf(scale, locationIds, n)].join('&');
  return `/api/dashboard/${path}${path.includes('?') ? '&' : '?'}${query}`;
}

function scopeOf(scale: Scale, locationIds: readonly number[], n: number): string[] {
  const at = (index: number) => locationIds[index % locationIds.length];
  if (scale.startsWith('one')) return [`locationIds=${at(n * 7919)}`];
  if (scale.startsWith('all')) return [];
  return [`locationIds=${Array.from({ length: 200 }, (_, index) => at(n * 7919 + index * 9)).join(',')}`];
}
