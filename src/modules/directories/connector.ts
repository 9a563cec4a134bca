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

export const claim = Type.Enum(claimStatuses.filter((status) => status !== 'UNKNOWN'));
/** The directory's id of a record. */
export const externalId = Type.String({ minLength: 1, maxLength: 200 });
const url = Type.Optional(Type.String({ pattern: '^https?://' }));
const count = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 });
const time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' });

export const DirectoryListing = Type.Object({
  externalId,
  url,
  profile: ListingProfile,
  claim,
  /** Id of the listing that the directory considers the original. */
  duplicateOf: Type.Optional(externalId),
  /** A submission is not visible yet. */
  pending: flag,
});
export type DirectoryListing = Static<typeof DirectoryListing>;

export const Submission = Type.Object({
  externalId,
  url,
  /** ACCEPTED is visible immediately, PENDING after the directory's review. */
  state: Type.Enum(['ACCEPTED', 'PENDING']),
  messages: Type.Array(Type.String()),
});
type Submission = Static<typeof Submission>;

/** Result of the directory's review of the last submission for a listing. */
export const SubmissionReview = Type.Object({
  state: Type.Enum(['PENDING', 'ACCEPTED', 'REJECTED']),
  /** Reasons for a rejection. */
  messages: Type.Array(Type.String()),
  /** False if the directory deleted the listing when it rejected the submission. */
  pageExists: Type.Boolean(),
});
export type SubmissionReview = Static<typeof SubmissionReview>;

export const DirectoryReply = Type.Object({
  externalId,
  author: Type.String(),
  text: Type.String(),
  isOwner: Type.Boolean(),
  date: time,
});
export type DirectoryReply = Static<typeof DirectoryReply>;

export const dataPointTypes = ['REVIEW', 'PHOTO', 'CHECKIN', 'CONVERSATION', 'COMMENT', 'QUESTION'] as const;

export const DirectoryDataPoint = Type.Object({
  externalId,
  type: Type.Enum([...dataPointTypes]),
  text,
  language: text,
  rating: Type.Optional(Type.Number({ minimum: 0, maximum: 5 })),
  author: Type.String(),
  authorImage: text,
  photoUrl: text,
  directLink: text,
  actionDate: time,
  threadActionDate: time,
  replies: Type.Array(DirectoryReply),
});
export type DirectoryDataPoint = Static<typeof DirectoryDataPoint>;

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

export const BrandPage = Type.Object({ externalId, name: Type.String(), url, followers: count });
type BrandPage = Static<typeof BrandPage>;

export const DailyInsight = Type.Object({
  metric: Type.String(),
  day: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }),
  count,
});
export type DailyInsight = Static<typeof DailyInsight>;

export const KeywordInsight = Type.Object({
  keyword: Type.String(),
  month: Type.String({ pattern: '^\\d{4}-\\d\\d$' }),
  impressions: count,
});
export type KeywordInsight = Static<typeof KeywordInsight>;

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

export const PublishedPost = Type.Object({ externalId, url });
type PublishedPost = Static<typeof PublishedPost>;

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
