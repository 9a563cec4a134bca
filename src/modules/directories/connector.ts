import Type, { type Static } from 'typebox';
import { claimStatuses } from '../../events/catalogue/status-values.ts';

const text = Type.Optional(Type.String());
const flag = Type.Optional(Type.Boolean());
const texts = Type.Optional(Type.Array(Type.String()));

const periods = { closed: flag, from1: text, to1: text, from2: text, to2: text };

/** `dayOfWeek` 1 is Monday. */
const OpeningHours = Type.Object({ dayOfWeek: Type.Integer({ minimum: 1, maximum: 7 }), ...periods });

const SpecialOpeningHours = Type.Object({ date: Type.String(), ...periods });

export type OpeningHours = Static<typeof OpeningHours>;
export type SpecialOpeningHours = Static<typeof SpecialOpeningHours>;

/** The data of a location on a directory. Fields that the directory does not support are absent. */
export const ListingProfile = Type.Object({
  name: Type.String(),
  street: text,
  streetNo: text,
  addressExtra: text,
  zip: text,
  city: text,
  province: text,
  country: text,
  lat: Type.Optional(Type.Number({ minimum: -90, maximum: 90 })),
  lng: Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
  addressDisplay: flag,
  phone: text,
  website: text,
  email: text,
  descriptionShort: text,
  descriptionLong: text,
  /** English category names. */
  categories: texts,
  openingHours: Type.Optional(Type.Array(OpeningHours)),
  specialOpeningHours: Type.Optional(Type.Array(SpecialOpeningHours)),
  photos: texts,
  temporarilyClosed: flag,
});

export type ListingProfile = Static<typeof ListingProfile>;

export const claims = claimStatuses.filter((status) => status !== 'UNKNOWN');

export interface DirectoryListing {
  /** The directory's id of the listing. */
  externalId: string;
  url?: string | undefined;
  profile: ListingProfile;
  claim: (typeof claims)[number];
  /** Id of the listing that the directory considers the original. */
  duplicateOf?: string;
  /** A submission is not visible yet. */
  pending?: boolean;
}

interface Submission {
  externalId: string;
  url?: string | undefined;
  /** ACCEPTED is visible immediately, PENDING after the directory's review. */
  state: 'ACCEPTED' | 'PENDING';
  messages: string[];
}

/** Result of the directory's review of the last submission for a listing. */
export interface SubmissionReview {
  state: 'PENDING' | 'ACCEPTED' | 'REJECTED';
  /** Reasons for a rejection. */
  messages: string[];
  /** False if the directory deleted the listing when it rejected the submission. */
  pageExists: boolean;
}

export const dataPointTypes = ['REVIEW', 'PHOTO', 'CHECKIN', 'CONVERSATION', 'COMMENT', 'QUESTION'] as const;

export interface DirectoryDataPoint {
  externalId: string;
  type: (typeof dataPointTypes)[number];
  text?: string;
  language?: string;
  /** 0 to 5. */
  rating?: number;
  author: string;
  authorImage?: string;
  photoUrl?: string;
  directLink?: string;
  /** ISO 8601, like all times in this file. */
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

/** A listing or a brand page that has datapoints. */
export type DataPointSource = { listing: string } | { brandPage: string };

export interface DataPointPage {
  dataPoints: DirectoryDataPoint[];
  /** Datapoints of the page that could not be read; empty without an id. */
  invalidIds: string[];
  /** Cursor of the next page. Readers stop if it repeats. */
  cursor: string;
  more: boolean;
}

interface BrandPage {
  externalId: string;
  name: string;
  url?: string | undefined;
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
  videos?: string[];
  callToAction?: { type: string; url?: string };
  dateStart?: string;
  dateEnd?: string;
  couponCode?: string;
  termsAndConditions?: string;
}

interface PublishedPost {
  externalId: string;
  url?: string | undefined;
}

/** An expected failure of a directory call. Exceptions are bugs. */
export type DirectoryFault =
  /** Down, timed out or invalid response. The call can be retried later. */
  | { fault: 'unavailable'; detail: string }
  /** Rate limited by the directory or by our client policy. */
  | { fault: 'limited'; retryAfterSeconds: number; detail: string }
  /** Rejected by the directory, with its messages. */
  | { fault: 'refused'; messages: string[] };

export type DirectoryResult<T> = Promise<T | DirectoryFault>;

/**
 * Directories execute calls with the same key once within a day, even if a retry or a restarted job repeats them. Use one
 * key per submission or job, not per target state.
 */
export interface IdempotencyKey {
  key: string;
}

/** API of one directory. Operations that a directory does not support return the fault `refused`. */
export interface DirectoryConnector {
  /** Listings that may belong to this location, best match first. */
  search(profile: ListingProfile): DirectoryResult<DirectoryListing[]>;
  /** Undefined if the listing does not exist. */
  read(externalId: string): DirectoryResult<DirectoryListing | undefined>;
  /** Undefined if the URL is not a listing of this directory. */
  resolve(url: string): DirectoryResult<DirectoryListing | undefined>;
  /** Undefined if there was no submission for the listing. */
  readReview(externalId: string): DirectoryResult<SubmissionReview | undefined>;
  /** Changes the listing with `externalId`, or creates one. */
  submit(
    profile: ListingProfile,
    externalId: string | undefined,
    idempotency?: IdempotencyKey,
  ): DirectoryResult<Submission>;
  remove(externalId: string): DirectoryResult<{ removed: boolean }>;
  claim(externalId: string): DirectoryResult<{ claim: DirectoryListing['claim'] }>;
  /** Datapoints that are new or changed since `cursor`, or all of them. */
  readDataPoints(source: DataPointSource, cursor: string | undefined): DirectoryResult<DataPointPage>;
  /** Ids of all current datapoints and replies. Never a partial list. */
  readDataPointIds(source: DataPointSource): DirectoryResult<{ externalId: string; replyIds: string[] }[]>;
  reply(dataPointId: string, text: string, idempotency?: IdempotencyKey): DirectoryResult<{ externalId: string }>;
  readBrandPages(businessName: string): DirectoryResult<BrandPage[]>;
  /** Both days are included. */
  readInsights(externalId: string, fromDay: string, toDay: string): DirectoryResult<DailyInsight[]>;
  readKeywords(externalId: string, month: string): DirectoryResult<KeywordInsight[]>;
  publishPost(externalId: string, post: DirectoryPost, idempotency?: IdempotencyKey): DirectoryResult<PublishedPost>;
  /** The post that a call with this key has published. Undefined if there is none. */
  findPost(idempotency: IdempotencyKey): DirectoryResult<PublishedPost | undefined>;
  withdrawPost(postId: string): DirectoryResult<{ withdrawn: boolean }>;
}

export const isFault = (result: unknown): result is DirectoryFault =>
  typeof result === 'object' && result !== null && 'fault' in result;
