/** How one directory of the network behaves. */
export interface DirectoryRules {
  type: string;
  /** First part of its paths. */
  path: string;
  name: string;
  /** Address of its pages; without one there is nothing to look at. */
  site: string | undefined;
  /** What it offers; anything else is refused in words. */
  offers: ReadonlySet<Ability>;
  /** Fields without which it takes no submission. */
  needs: readonly string[];
  shows: readonly string[];
  dataPoints: readonly DataPointKind[];
  replyMaxLength: number;
  postMaxLength: number;
  descriptionMaxLength: number;
  /** Seconds that people there look at a new page, or at a change; 0 when it is shown at once. */
  review: { create: number; change: number };
  claimSeconds: number;
  limit: { requests: number; perSeconds: number };
  pageSize: number;
  /** Typical counts per day of a page of middling interest. */
  metrics: Readonly<Record<string, number>>;
  insightsLagDays: number;
  /** How much is going on there, in relation to the others. */
  liveliness: number;
}

export type Ability =
  | 'look'
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
const usual = [...address, 'phone', 'website', 'categories', 'openingHours'];
const where = ['name', 'street', 'city', 'country'];

const common = {
  needs: where,
  shows: usual,
  dataPoints: [],
  replyMaxLength: 0,
  postMaxLength: 0,
  descriptionMaxLength: 1000,
  review: { create: 0, change: 0 },
  claimSeconds: 0,
  // A little more than clients are told, as most directories allow.
  limit: { requests: 75, perSeconds: 1 },
  pageSize: 50,
  metrics: {},
  insightsLagDays: 1,
  liveliness: 1,
} satisfies Partial<DirectoryRules>;

type Own = Partial<Omit<DirectoryRules, 'type' | 'path' | 'name' | 'offers'>>;

const rules = (type: string, name: string, offers: Ability[], own: Own): DirectoryRules => {
  const path = type.toLowerCase().replaceAll('_', '-');
  return { type, path, name, site: `https://${path}.example/places/`, ...common, ...own, offers: new Set(offers) };
};

export const directoryRules: readonly DirectoryRules[] = [
  rules('GOOGLE', 'Google', ['look', 'submit', 'claim', 'address', 'reply', 'insights', 'keywords', 'posts'], {
    needs: [...where, 'categories'],
    shows: [...usual, 'specialOpeningHours', 'descriptionLong', 'photos', 'temporarilyClosed'],
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
    liveliness: 5,
  }),
  rules('FACEBOOK', 'Facebook', ['look', 'submit', 'claim', 'address', 'reply', 'insights', 'brand-pages', 'posts'], {
    shows: [...usual, 'email', 'descriptionShort', 'photos'],
    dataPoints: ['REVIEW', 'PHOTO', 'CHECKIN', 'COMMENT', 'CONVERSATION'],
    replyMaxLength: 8000,
    postMaxLength: 5000,
    limit: { requests: 90, perSeconds: 1 },
    pageSize: 25,
    metrics: { PAGE_IMPRESSIONS: 85, PAGE_CONSUMPTIONS: 7 },
    liveliness: 3,
  }),
  rules('APPLE_MAPS', 'Apple Maps', ['look', 'submit', 'claim', 'address', 'insights', 'posts'], {
    needs: [...where, 'phone', 'categories'],
    shows: [...usual, 'photos', 'temporarilyClosed'],
    dataPoints: ['PHOTO'],
    postMaxLength: 500,
    review: { create: 20, change: 0 },
    claimSeconds: 30,
    metrics: { PLACE_CARD_VIEWS: 31, PLACE_CARD_CALLS: 2, PLACE_CARD_WEBSITE_TAPS: 3, PLACE_CARD_DIRECTIONS: 6 },
    liveliness: 0.5,
  }),
  rules('BING', 'Bing', ['look', 'submit', 'claim', 'address', 'insights'], {
    shows: [...usual, 'descriptionLong', 'photos'],
    metrics: { SEARCH_IMPRESSIONS: 22, SEARCH_CLICKS: 2 },
  }),
  rules('YELP', 'Yelp', ['look', 'submit', 'claim', 'address', 'reply', 'insights'], {
    needs: [...where, 'phone', 'categories'],
    shows: [...usual, 'descriptionLong', 'photos'],
    dataPoints: ['REVIEW', 'PHOTO', 'QUESTION'],
    replyMaxLength: 1000,
    review: { create: 60, change: 30 },
    claimSeconds: 60,
    limit: { requests: 30, perSeconds: 1 },
    pageSize: 20,
    metrics: { PAGE_VIEWS: 12, USER_ACTIONS: 2 },
    liveliness: 1.5,
  }),
  rules('INSTAGRAM', 'Instagram', ['look', 'submit', 'claim', 'reply', 'insights', 'brand-pages', 'posts'], {
    needs: ['name', 'website'],
    shows: ['name', 'phone', 'website', 'email', 'descriptionShort', 'photos'],
    dataPoints: ['COMMENT', 'PHOTO'],
    replyMaxLength: 2200,
    postMaxLength: 2200,
    descriptionMaxLength: 150,
    metrics: { IMPRESSIONS: 120, REACH: 80, PROFILE_VIEWS: 9, WEBSITE_CLICKS: 1.5 },
    liveliness: 2,
  }),
  rules('FOURSQUARE', 'Foursquare', ['look', 'submit', 'claim', 'address'], {
    needs: [...where, 'openingHours'],
    dataPoints: ['COMMENT', 'PHOTO', 'CHECKIN'],
  }),
  rules('TRIP_ADVISOR', 'Tripadvisor', ['look', 'submit', 'claim', 'address', 'reply'], {
    needs: [...where, 'website', 'descriptionLong'],
    shows: [...usual, 'email', 'descriptionLong', 'photos'],
    dataPoints: ['REVIEW', 'PHOTO', 'QUESTION'],
    replyMaxLength: 10_000,
    review: { create: 90, change: 15 },
    claimSeconds: 45,
    limit: { requests: 30, perSeconds: 1 },
    liveliness: 1.5,
  }),
  rules('NOKIA_HERE', 'HERE', ['look', 'submit', 'address'], { shows: [...usual, 'lat', 'lng'] }),
  rules('TOMTOM', 'TomTom', ['submit', 'address'], {
    site: undefined,
    needs: [...where, 'lat', 'lng'],
    shows: [...address, 'phone', 'lat', 'lng'],
    review: { create: 120, change: 120 },
  }),
  rules('WAZE', 'Waze', ['look', 'submit', 'address'], {
    shows: [...address, 'phone', 'website', 'openingHours', 'lat', 'lng'],
    review: { create: 30, change: 30 },
  }),
  rules('YELLOW_PAGES', 'Yellow Pages', ['look', 'submit', 'claim', 'address'], {
    needs: [...where, 'zip', 'phone'],
    shows: [...usual, 'email', 'descriptionShort'],
    dataPoints: ['REVIEW'],
    review: { create: 40, change: 0 },
    liveliness: 0.3,
  }),
  rules('CYLEX', 'Cylex', ['look', 'submit', 'claim', 'address', 'reply'], {
    shows: [...usual, 'email', 'descriptionShort'],
    dataPoints: ['REVIEW'],
    replyMaxLength: 500,
    limit: { requests: 12, perSeconds: 10 },
    pageSize: 10,
    liveliness: 0.3,
  }),
  rules('GOLOCAL', 'golocal', ['look', 'submit', 'address', 'reply'], {
    dataPoints: ['REVIEW', 'PHOTO'],
    replyMaxLength: 2000,
    liveliness: 0.4,
  }),
  // Shows no data of a place, only that it is there: a page to link to.
  rules('NEXTDOOR', 'Nextdoor', ['look'], { needs: [], shows: [] }),
];

const byType = new Map(directoryRules.map((entry) => [entry.type, entry]));
const byPath = new Map(directoryRules.map((entry) => [entry.path, entry]));

export const rulesOfPath = (path: string): DirectoryRules | undefined => byPath.get(path);

/** By its name in any spelling: GOOGLE, google, trip-advisor. */
export const rulesOfType = (type: string): DirectoryRules | undefined =>
  byType.get(type.toUpperCase().replaceAll('-', '_'));
