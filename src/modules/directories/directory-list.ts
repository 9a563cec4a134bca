import Type, { type Static } from 'typebox';
import type { ListingProfile } from './connector.ts';

const names = Type.Array(Type.String());

/** A directory and its capabilities. */
export const DirectoryResponse = Type.Object({
  /** Upper-case name, such as GOOGLE. */
  type: Type.String(),
  name: Type.String(),
  weight: Type.Integer({ description: 'Weight in the visibility index' }),
  supports: Type.Object({
    submission: Type.Boolean(),
    claim: Type.Boolean(),
    /** If false, only locations with a hidden address can be submitted. */
    addressDisplay: Type.Boolean({ description: 'Shows street addresses' }),
    replies: Type.Boolean(),
    insights: Type.Boolean(),
    /** The directory reports search keywords per month. */
    searchKeywords: Type.Boolean(),
    brandPages: Type.Boolean(),
    socialPosts: Type.Boolean(),
    onlineListing: Type.Boolean({ description: 'Listings have a web page. Car navigation systems have none.' }),
    linkOnly: Type.Boolean({ description: 'Listings can only be linked, not read or submitted' }),
  }),
  needsCleansing: Type.Boolean(),
  /** An account must be connected before submissions and reads. */
  needsConnection: Type.Boolean({ description: 'An account must be connected first' }),
  /** Fields of ListingProfile. */
  mandatoryFields: Type.Array(Type.String(), { description: 'Fields required for a submission' }),
  fields: Type.Array(Type.String(), { description: 'Fields that the directory shows and sync checks compare' }),
  dataPointTypes: names,
  replyMaxLength: Type.Integer(),
  postMaxLength: Type.Integer(),
  /** Names of insight metrics. */
  metrics: names,
  rateLimit: Type.Object({ requests: Type.Integer(), perSeconds: Type.Number() }),
});

export type Directory = Static<typeof DirectoryResponse>;

export function missingFields({ mandatoryFields }: Directory, profile: ListingProfile): string[] {
  const values = profile as unknown as Record<string, unknown>;
  return mandatoryFields.filter((name) => isEmpty(values[name]));
}

export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

export const acceptsSubmissions = ({ supports }: Directory): boolean => supports.submission && !supports.linkOnly;

/** If every directory with submissions refuses the profile: its missing fields for each of them. Otherwise empty. */
export function refusingDirectories(
  directories: readonly Directory[],
  profile: ListingProfile,
): { directory: Directory; missing: string[] }[] {
  const checked = directories
    .filter(acceptsSubmissions)
    .map((directory) => ({ directory, missing: missingFields(directory, profile) }));
  return checked.every(({ missing }) => missing.length > 0) ? checked : [];
}

const address = ['name', 'street', 'streetNo', 'zip', 'city', 'country'];
const basics = [...address, 'phone', 'website'];
const mandatoryAddress = ['name', 'street', 'city', 'country'];

const defaults = {
  supports: {
    submission: true,
    claim: true,
    addressDisplay: true,
    replies: false,
    insights: false,
    searchKeywords: false,
    brandPages: false,
    socialPosts: false,
    onlineListing: true,
    linkOnly: false,
  },
  needsCleansing: false,
  needsConnection: false,
  mandatoryFields: mandatoryAddress,
  fields: [...basics, 'categories', 'openingHours'],
  dataPointTypes: [],
  replyMaxLength: 0,
  postMaxLength: 0,
  metrics: [],
  rateLimit: { requests: 50, perSeconds: 1 },
} satisfies Partial<Directory>;

type Differences = Partial<Omit<Directory, 'type' | 'name' | 'weight' | 'supports'>> & {
  supports?: Partial<Directory['supports']>;
};

const directory = (type: string, name: string, weight: number, differences: Differences): Directory => ({
  type,
  name,
  weight,
  ...defaults,
  ...differences,
  supports: { ...defaults.supports, ...differences.supports },
});

/** All supported directories by descending weight. A new directory also needs an entry in connectorList. */
export const directoryList: readonly Directory[] = [
  directory('GOOGLE', 'Google', 30, {
    supports: { replies: true, insights: true, searchKeywords: true, socialPosts: true },
    needsConnection: true,
    mandatoryFields: [...mandatoryAddress, 'categories'],
    fields: [...defaults.fields, 'specialOpeningHours', 'descriptionLong', 'photos', 'temporarilyClosed'],
    dataPointTypes: ['REVIEW', 'PHOTO', 'QUESTION', 'CONVERSATION'],
    replyMaxLength: 4096,
    postMaxLength: 1500,
    metrics: [
      'BUSINESS_IMPRESSIONS_DESKTOP_MAPS',
      'BUSINESS_IMPRESSIONS_DESKTOP_SEARCH',
      'BUSINESS_IMPRESSIONS_MOBILE_MAPS',
      'BUSINESS_IMPRESSIONS_MOBILE_SEARCH',
      'CALL_CLICKS',
      'WEBSITE_CLICKS',
      'BUSINESS_DIRECTION_REQUESTS',
      'BUSINESS_CONVERSATIONS',
      'BUSINESS_BOOKINGS',
    ],
    rateLimit: { requests: 100, perSeconds: 1 },
  }),
  directory('FACEBOOK', 'Facebook', 20, {
    supports: { replies: true, insights: true, brandPages: true, socialPosts: true },
    needsConnection: true,
    fields: [...defaults.fields, 'email', 'descriptionShort', 'photos'],
    dataPointTypes: ['REVIEW', 'PHOTO', 'CHECKIN', 'COMMENT', 'CONVERSATION'],
    replyMaxLength: 8000,
    postMaxLength: 5000,
    metrics: ['PAGE_IMPRESSIONS', 'PAGE_CONSUMPTIONS'],
    rateLimit: { requests: 60, perSeconds: 1 },
  }),
  directory('APPLE_MAPS', 'Apple Maps', 12, {
    supports: { insights: true, socialPosts: true },
    mandatoryFields: [...mandatoryAddress, 'phone', 'categories'],
    fields: [...defaults.fields, 'photos', 'temporarilyClosed'],
    dataPointTypes: ['PHOTO'],
    postMaxLength: 500,
    metrics: ['PLACE_CARD_VIEWS', 'PLACE_CARD_CALLS', 'PLACE_CARD_WEBSITE_TAPS', 'PLACE_CARD_DIRECTIONS'],
  }),
  directory('BING', 'Bing', 10, {
    supports: { insights: true },
    fields: [...defaults.fields, 'descriptionLong', 'photos'],
    metrics: ['SEARCH_IMPRESSIONS', 'SEARCH_CLICKS'],
  }),
  directory('YELP', 'Yelp', 8, {
    supports: { replies: true, insights: true },
    mandatoryFields: [...mandatoryAddress, 'phone', 'categories'],
    fields: [...defaults.fields, 'descriptionLong', 'photos'],
    dataPointTypes: ['REVIEW', 'PHOTO', 'QUESTION'],
    replyMaxLength: 1000,
    metrics: ['PAGE_VIEWS', 'USER_ACTIONS'],
    rateLimit: { requests: 20, perSeconds: 1 },
  }),
  directory('INSTAGRAM', 'Instagram', 6, {
    supports: { addressDisplay: false, replies: true, insights: true, brandPages: true, socialPosts: true },
    needsConnection: true,
    mandatoryFields: ['name', 'website'],
    fields: ['name', 'phone', 'website', 'email', 'descriptionShort', 'photos'],
    dataPointTypes: ['COMMENT', 'PHOTO'],
    replyMaxLength: 2200,
    postMaxLength: 2200,
    metrics: ['IMPRESSIONS', 'REACH', 'PROFILE_VIEWS', 'WEBSITE_CLICKS'],
  }),
  directory('FOURSQUARE', 'Foursquare', 5, {
    mandatoryFields: [...mandatoryAddress, 'openingHours'],
    dataPointTypes: ['COMMENT', 'PHOTO', 'CHECKIN'],
  }),
  directory('TRIP_ADVISOR', 'Tripadvisor', 5, {
    supports: { replies: true },
    mandatoryFields: [...mandatoryAddress, 'website', 'descriptionLong'],
    fields: [...defaults.fields, 'email', 'descriptionLong', 'photos'],
    dataPointTypes: ['REVIEW', 'PHOTO', 'QUESTION'],
    replyMaxLength: 10_000,
    rateLimit: { requests: 20, perSeconds: 1 },
  }),
  directory('NOKIA_HERE', 'HERE', 4, {
    supports: { claim: false },
    fields: [...defaults.fields, 'lat', 'lng'],
  }),
  directory('TOMTOM', 'TomTom', 4, {
    // Submissions appear with the next release of the map. Its places have no web pages.
    supports: { claim: false, onlineListing: false },
    mandatoryFields: [...mandatoryAddress, 'lat', 'lng'],
    fields: [...address, 'phone', 'lat', 'lng'],
  }),
  directory('WAZE', 'Waze', 3, {
    supports: { claim: false },
    needsCleansing: true,
    fields: [...basics, 'openingHours', 'lat', 'lng'],
  }),
  directory('YELLOW_PAGES', 'Yellow Pages', 3, {
    mandatoryFields: [...mandatoryAddress, 'zip', 'phone'],
    fields: [...defaults.fields, 'email', 'descriptionShort'],
    dataPointTypes: ['REVIEW'],
  }),
  directory('CYLEX', 'Cylex', 2, {
    supports: { replies: true },
    fields: [...defaults.fields, 'email', 'descriptionShort'],
    dataPointTypes: ['REVIEW'],
    replyMaxLength: 500,
    rateLimit: { requests: 10, perSeconds: 10 },
  }),
  directory('GOLOCAL', 'golocal', 2, {
    supports: { claim: false, replies: true },
    dataPointTypes: ['REVIEW', 'PHOTO'],
    replyMaxLength: 2000,
  }),
  directory('NEXTDOOR', 'Nextdoor', 1, {
    supports: { submission: false, claim: false, linkOnly: true },
    mandatoryFields: [],
    fields: [],
  }),
];

const byType = new Map(directoryList.map((entry) => [entry.type, entry]));

export const findDirectory = (type: string): Directory | undefined => byType.get(type);

export const directoryName = (type: string): string => findDirectory(type)?.name ?? type;
