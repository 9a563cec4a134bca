/** What a directory shows of a location, or is to show. A field that a directory does not know is absent. */
export interface ListingProfile {
  name: string;
  street?: string;
  streetNo?: string;
  addressExtra?: string;
  zip?: string;
  city?: string;
  province?: string;
  country?: string;
  lat?: number;
  lng?: number;
  addressDisplay?: boolean;
  phone?: string;
  website?: string;
  email?: string;
  descriptionShort?: string;
  descriptionLong?: string;
  /** Names of the categories in English. */
  categories?: string[];
  openingHours?: OpeningHours[];
  specialOpeningHours?: SpecialOpeningHours[];
  photos?: string[];
  temporarilyClosed?: boolean;
}

export interface OpeningHours {
  /** 1 is Monday. */
  dayOfWeek: number;
  closed?: boolean;
  from1?: string;
  to1?: string;
  from2?: string;
  to2?: string;
}

export type SpecialOpeningHours = Omit<OpeningHours, 'dayOfWeek'> & { date: string };

/** A page on a directory. */
export interface DirectoryListing {
  /** The directory's own id of the page. */
  externalId: string;
  url: string | undefined;
  profile: ListingProfile;
  claim:
    | 'CLAIMABLE'
    | 'NOT_CLAIMABLE'
    | 'CLAIMED_BY_US'
    | 'CLAIMED_BY_OTHERS'
    | 'CLAIMED_BY_ANOTHER_US'
    | 'CLAIMING_IN_PROGRESS';
  /** When the directory takes it for another one of its pages. */
  duplicateOf?: string;
  /** Something was submitted and is not shown yet. */
  pending?: boolean;
}

export interface Submission {
  externalId: string;
  url: string | undefined;
  /** ACCEPTED is shown at once, PENDING after the directory's own review. */
  state: 'ACCEPTED' | 'PENDING';
  messages: string[];
}

/** What the directory's own review of the last submission for a page came to. */
export interface SubmissionReview {
  state: 'PENDING' | 'ACCEPTED' | 'REJECTED';
  /** Why it was rejected. */
  messages: string[];
  /** False when the directory dropped the page with the rejection. */
  pageExists: boolean;
}

export type DataPointType = 'REVIEW' | 'PHOTO' | 'CHECKIN' | 'CONVERSATION' | 'COMMENT' | 'QUESTION';

export interface DirectoryDataPoint {
  externalId: string;
  type: DataPointType;
  text?: string;
  language?: string;
  /** 0 to 5. */
  rating?: number;
  author: string;
  authorImage?: string;
  photoUrl?: string;
  directLink?: string;
  /** ISO 8601, as all times here. */
  actionDate: string;
  threadActionDate: string;
  replies: DirectoryReply[];
}

export interface DirectoryReply {
  externalId: string;
  author: string;
  text: string;
  isOwner: boolean;
  date: string;
}

/** Where datapoints are: the page of a location, or of a brand. */
export type DataPointSource = { listing: string } | { brandPage: string };

interface DataPointPage {
  dataPoints: DirectoryDataPoint[];
  /** Where to go on; a cursor that repeats ends the reading. */
  cursor: string;
  more: boolean;
}

interface BrandPage {
  externalId: string;
  name: string;
  url: string | undefined;
  followers: number;
}

export interface DailyInsight {
  metric: string;
  /** YYYY-MM-DD */
  day: string;
  count: number;
}

export interface KeywordInsight {
  keyword: string;
  /** YYYY-MM */
  month: string;
  impressions: number;
}

export interface DirectoryPost {
  type: string;
  title?: string;
  description?: string;
  photos: { photo: string; description?: string }[];
  callToAction?: { type: string; url?: string };
  dateStart?: string;
  dateEnd?: string;
  couponCode?: string;
}

/** Why a directory did not do what it was asked. What came of a call is a value; exceptions are for bugs. */
export type DirectoryFault =
  /** Down, too slow, or talking nonsense: it may be asked again later. */
  | { fault: 'unavailable'; detail: string }
  /** It, or our own clientPolicy, allows no more calls for now. */
  | { fault: 'limited'; retryAfterSeconds: number; detail: string }
  /** Its own decision, in its own words. */
  | { fault: 'refused'; messages: string[] };

export type DirectoryResult<T> = Promise<T | DirectoryFault>;

/**
 * A call with the same key is carried out once within a day, however often it is sent: by a retry, or by a job that
 * begins again. So a key names one attempt (a job's, a submission's), not the state that it shall lead to.
 */
export interface IdempotencyKey {
  key: string;
}

/**
 * How Waypost speaks with one directory. What a directory does not offer (brand pages, replies, looking at pages …)
 * is answered with a refusal that says so.
 */
export interface DirectoryConnector {
  /** Pages that may be this location's, the best match first. */
  search(profile: ListingProfile): DirectoryResult<DirectoryListing[]>;
  /** Nothing when there is no such page (any more). */
  read(externalId: string): DirectoryResult<DirectoryListing | undefined>;
  /** The page at a URL; nothing when that is no page of this directory. */
  resolve(url: string): DirectoryResult<DirectoryListing | undefined>;
  /** Nothing when the directory knows of no submission for the page. */
  readReview(externalId: string): DirectoryResult<SubmissionReview | undefined>;
  /** Creates the page, or changes the one given. */
  submit(profile: ListingProfile, externalId: string | undefined, once?: IdempotencyKey): DirectoryResult<Submission>;
  remove(externalId: string): DirectoryResult<{ removed: boolean }>;
  claim(externalId: string): DirectoryResult<{ claim: DirectoryListing['claim'] }>;
  /** Datapoints that are new or changed since a cursor; without one, all of them. */
  readDataPoints(place: DataPointSource, cursor: string | undefined): DirectoryResult<DataPointPage>;
  /** Every datapoint that is there now, and its replies: complete, or a fault. */
  readDataPointIds(place: DataPointSource): DirectoryResult<{ externalId: string; replyIds: string[] }[]>;
  reply(dataPointId: string, text: string, once?: IdempotencyKey): DirectoryResult<{ externalId: string }>;
  readBrandPages(businessName: string): DirectoryResult<BrandPage[]>;
  /** From the first to the last day, both included. */
  readInsights(externalId: string, fromDay: string, toDay: string): DirectoryResult<DailyInsight[]>;
  readKeywords(externalId: string, month: string): DirectoryResult<KeywordInsight[]>;
  publishPost(
    externalId: string,
    post: DirectoryPost,
    once?: IdempotencyKey,
  ): DirectoryResult<{ externalId: string; url: string | undefined }>;
  withdrawPost(postId: string): DirectoryResult<{ withdrawn: boolean }>;
}

export const isFault = (answer: unknown): answer is DirectoryFault =>
  typeof answer === 'object' && answer !== null && 'fault' in answer;
