import { directoryList } from '../../../directories/index.ts';

/** Equivalent metrics by directory. */
export type MetricsByDirectory = Readonly<Record<string, readonly string[]>>;

/** Impressions. Profile views are excluded: they follow an impression that is already counted. */
export const views: MetricsByDirectory = {
  GOOGLE: [
    'BUSINESS_IMPRESSIONS_DESKTOP_MAPS',
    'BUSINESS_IMPRESSIONS_DESKTOP_SEARCH',
    'BUSINESS_IMPRESSIONS_MOBILE_MAPS',
    'BUSINESS_IMPRESSIONS_MOBILE_SEARCH',
  ],
  FACEBOOK: ['PAGE_IMPRESSIONS'],
  APPLE_MAPS: ['PLACE_CARD_VIEWS'],
  BING: ['SEARCH_IMPRESSIONS'],
  YELP: ['PAGE_VIEWS'],
  INSTAGRAM: ['IMPRESSIONS'],
};

export const clicks: MetricsByDirectory = {
  GOOGLE: ['WEBSITE_CLICKS'],
  FACEBOOK: ['PAGE_CONSUMPTIONS'],
  APPLE_MAPS: ['PLACE_CARD_WEBSITE_TAPS'],
  BING: ['SEARCH_CLICKS'],
  INSTAGRAM: ['WEBSITE_CLICKS'],
};

export const calls: MetricsByDirectory = { GOOGLE: ['CALL_CLICKS'], APPLE_MAPS: ['PLACE_CARD_CALLS'] };

export const directionRequests: MetricsByDirectory = {
  GOOGLE: ['BUSINESS_DIRECTION_REQUESTS'],
  APPLE_MAPS: ['PLACE_CARD_DIRECTIONS'],
};

const otherActions: MetricsByDirectory = {
  GOOGLE: ['BUSINESS_CONVERSATIONS', 'BUSINESS_BOOKINGS'],
  YELP: ['USER_ACTIONS'],
};

/** Customer actions on a directory. */
export const actions: MetricsByDirectory = Object.fromEntries(
  directoryList.flatMap(({ type }) => {
    const names = [clicks, calls, directionRequests, otherActions].flatMap((kind) => kind[type] ?? []);
    return names.length > 0 ? [[type, names]] : [];
  }),
);
