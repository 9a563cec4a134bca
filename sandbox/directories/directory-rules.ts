/** Behaviour of one directory. */
export interface DirectoryRules {
  type: string;
  /** First path segment. */
  path: string;
  name: string;
  /** Base URL of its pages. Undefined: the directory has no web pages. */
  site: string | undefined;
  /** Supported operations. */
  offers: ReadonlySet<Ability>;
  /** Fields required for a submission. */
  mandatoryFields: readonly string[];
  fields: readonly string[];
  dataPoints: readonly DataPointKind[];
  replyMaxLength: number;
  postMaxLength: number;
  descriptionMaxLength: number;
  /** Seconds until a new page or a change is visible. */
  review: { create: number; change: number };
  claimSeconds: number;
  limit: { requests: number; perSeconds: number };
  pageSize: number;
  /** Typical counts per day of an average page. */
  metrics: Readonly<Record<string, number>>;
  insightsLagDays: number;
  /** Relative to other directories. */
  activityLevel: number;
}

export type Ability =
  | 'view'
  | 'submit'
  | 'claim'
  | 'address'
  | 'reply'
  | 'insights'
  | 'keywords'
  | 'brand-pages'
  | 'posts';

export type DataPointKind = 'REVIEW' | 'PHOTO' | 'CHECKIN' | 'CONVERSATION' | 'COMMENT' | 'QUESTION';

const address = ['name', 'street', 'streetNo', 'zip', 'city', 'country'];
const defaultFields = [...address, 'phone', 'website', 'categories', 'openingHours'];
const mandatoryAddress = ['name', 'street', 'city', 'country'];

const defaults = {
  mandatoryFields: mandatoryAddress,
  fields: defaultFields,
  dataPoints: [],
  replyMaxLength: 0,
  postMaxLength: 0,
  descriptionMaxLength: 1000,
  review: { create: 0, change: 0 },
  claimSeconds: 0,
  // Slightly above the documented limit, like most directories.
  limit: { requests: 75, perSeconds: 1 },
  pageSize: 50,
  metrics: {},
  insightsLagDays: 1,
  activityLevel: 1,
} satisfies Partial<DirectoryRules>;

type Own = Partial<Omit<DirectoryRules, 'type' | 'path' | 'name' | 'offers'>>;

const rules = (type: string, name: string, offers: Ability[], own: Own): DirectoryRules => {
  const path = type.toLowerCase().replaceAll('_', '-');
  return { type, path, name, site: `https://${path}.example/places/`, ...defaults, ...own, offers: new Set(offers) };
};

export const directoryRules: readonly DirectoryRules[] = [
  rules('GOOGLE', 'Google', ['view', 'submit', 'claim', 'address', 'reply', 'insights', 'keywords', 'posts'], {
    mandatoryFields: [...mandatoryAddress, 'categories'],
    fields: [...defaultFields, 'specialOpeningHours', 'descriptionLong', 'photos', 'temporarilyClosed'],
    dataPoints: ['REVIEW', 'PHOTO', 'QUESTION', 'CONVERSATION'],
    replyMaxLength: 4096,
    postMaxLength: 1500,
    limit: { requests: 150, perSeconds: 1 },
    metrics: {
      BUSINESS_IMPRESSIONS_DESKTOP_MAPS: 14,
      BUSINESS_IMPRESSIONS_DESKTOP_SEARCH: 38,
      BUSINESS_IMPRESSIONS_MOBILE_MAPS: 62,
      BUSINESS_IMPRESSIONS_MOBILE_SEARCH: 71,
      CALL_CLICKS: 4,
      WEBSITE_CLICKS: 9,
      BUSINESS_DIRECTION_REQUESTS: 11,
      BUSINESS_CONVERSATIONS: 0.6,
      BUSINESS_BOOKINGS: 0.9,
    },
    insightsLagDays: 2,
    activityLevel: 5,
  }),
  rules('FACEBOOK', 'Facebook', ['view', 'submit', 'claim', 'address', 'reply', 'insights', 'brand-pages', 'posts'], {
    fields: [...defaultFields, 'email', 'descriptionShort', 'photos'],
    dataPoints: ['REVIEW', 'PHOTO', 'CHECKIN', 'COMMENT', 'CONVERSATION'],
    replyMaxLength: 8000,
    postMaxLength: 5000,
    limit: { requests: 90, perSeconds: 1 },
    pageSize: 25,
    metrics: { PAGE_IMPRESSIONS: 85, PAGE_CONSUMPTIONS: 7 },
    activityLevel: 3,
  }),
  rules('APPLE_MAPS', 'Apple Maps', ['view', 'submit', 'claim', 'address', 'insights', 'posts'], {
    mandatoryFields: [...mandatoryAddress, 'phone', 'categories'],
    fields: [...defaultFields, 'photos', 'temporarilyClosed'],
    dataPoints: ['PHOTO'],
    postMaxLength: 500,
    review: { create: 20, change: 0 },
    claimSeconds: 30,
    metrics: { PLACE_CARD_VIEWS: 31, PLACE_CARD_CALLS: 2, PLACE_CARD_WEBSITE_TAPS: 3, PLACE_CARD_DIRECTIONS: 6 },
    activityLevel: 0.5,
  }),
  rules('BING', 'Bing', ['view', 'submit', 'claim', 'address', 'insights'], {
    fields: [...defaultFields, 'descriptionLong', 'photos'],
    metrics: { SEARCH_IMPRESSIONS: 22, SEARCH_CLICKS: 2 },
  }),
  rules('YELP', 'Yelp', ['view', 'submit', 'claim', 'address', 'reply', 'insights'], {
    mandatoryFields: [...mandatoryAddress, 'phone', 'categories'],
    fields: [...defaultFields, 'descriptionLong', 'photos'],
    dataPoints: ['REVIEW', 'PHOTO', 'QUESTION'],
    replyMaxLength: 1000,
    review: { create: 60, change: 30 },
    claimSeconds: 60,
    limit: { requests: 30, perSeconds: 1 },
    pageSize: 20,
    metrics: { PAGE_VIEWS: 12, USER_ACTIONS: 2 },
    activityLevel: 1.5,
  }),
  rules('INSTAGRAM', 'Instagram', ['view', 'submit', 'claim', 'reply', 'insights', 'brand-pages', 'posts'], {
    mandatoryFields: ['name', 'website'],
    fields: ['name', 'phone', 'website', 'email', 'descriptionShort', 'photos'],
    dataPoints: ['COMMENT', 'PHOTO'],
    replyMaxLength: 2200,
    postMaxLength: 2200,
    descriptionMaxLength: 150,
    metrics: { IMPRESSIONS: 120, REACH: 80, PROFILE_VIEWS: 9, WEBSITE_CLICKS: 1.5 },
    activityLevel: 2,
  }),
  rules('FOURSQUARE', 'Foursquare', ['view', 'submit', 'claim', 'address'], {
    mandatoryFields: [...mandatoryAddress, 'openingHours'],
    dataPoints: ['COMMENT', 'PHOTO', 'CHECKIN'],
  }),
  rules('TRIP_ADVISOR', 'Tripadvisor', ['view', 'submit', 'claim', 'address', 'reply'], {
    mandatoryFields: [...mandatoryAddress, 'website', 'descriptionLong'],
    fields: [...defaultFields, 'email', 'descriptionLong', 'photos'],
    dataPoints: ['REVIEW', 'PHOTO', 'QUESTION'],
    replyMaxLength: 10_000,
    review: { create: 90, change: 15 },
    claimSeconds: 45,
    limit: { requests: 30, perSeconds: 1 },
    activityLevel: 1.5,
  }),
  rules('NOKIA_HERE', 'HERE', ['view', 'submit', 'address'], { fields: [...defaultFields, 'lat', 'lng'] }),
  rules('TOMTOM', 'TomTom', ['submit', 'address'], {
    site: undefined,
    mandatoryFields: [...mandatoryAddress, 'lat', 'lng'],
    fields: [...address, 'phone', 'lat', 'lng'],
    review: { create: 120, change: 120 },
  }),
  rules('WAZE', 'Waze', ['view', 'submit', 'address'], {
    fields: [...address, 'phone', 'website', 'openingHours', 'lat', 'lng'],
    review: { create: 30, change: 30 },
  }),
  rules('YELLOW_PAGES', 'Yellow Pages', ['view', 'submit', 'claim', 'address'], {
    mandatoryFields: [...mandatoryAddress, 'zip', 'phone'],
    fields: [...defaultFields, 'email', 'descriptionShort'],
    dataPoints: ['REVIEW'],
    review: { create: 40, change: 0 },
    activityLevel: 0.3,
  }),
  rules('CYLEX', 'Cylex', ['view', 'submit', 'claim', 'address', 'reply'], {
    fields: [...defaultFields, 'email', 'descriptionShort'],
    dataPoints: ['REVIEW'],
    replyMaxLength: 500,
    limit: { requests: 12, perSeconds: 10 },
    pageSize: 10,
    activityLevel: 0.3,
  }),
  rules('GOLOCAL', 'golocal', ['view', 'submit', 'address', 'reply'], {
    dataPoints: ['REVIEW', 'PHOTO'],
    replyMaxLength: 2000,
    activityLevel: 0.4,
  }),
  // Pages can only be linked: they show no data.
  rules('NEXTDOOR', 'Nextdoor', ['view'], { mandatoryFields: [], fields: [] }),
];

const byType = new Map(directoryRules.map((entry) => [entry.type, entry]));
const byPath = new Map(directoryRules.map((entry) => [entry.path, entry]));

export const rulesOfPath = (path: string): DirectoryRules | undefined => byPath.get(path);

/** Accepts GOOGLE, google, trip-advisor. */
export const rulesOfType = (type: string): DirectoryRules | undefined =>
  byType.get(type.toUpperCase().replaceAll('-', '_'));
