import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import {
  BrandPage,
  claim,
  DailyInsight,
  DirectoryDataPoint,
  DirectoryListing,
  DirectoryReply,
  externalId,
  KeywordInsight,
  PublishedPost,
  Submission,
  SubmissionReview,
} from './connector.ts';

/** Maps a response body of the sandbox; undefined if it does not match the schema. */
const reader = <T extends TSchema, Result>(schema: T, map: (body: Static<T>) => Result) => {
  const validator = Compile(schema);
  return (body: unknown): Result | undefined => (validator.Check(body) ? map(body as Static<T>) : undefined);
};

const unchanged = <T>(body: T): T => body;

/** The sandbox names the external id of a record `id`. */
const withId = <T extends TObject>({ properties: { externalId: id, ...others } }: T) =>
  Type.Unsafe<Omit<Static<T>, 'externalId'> & { id: string }>(Type.Object({ id: id as TSchema, ...others }));

const withExternalId = <T extends { id: string }>({ id, ...rest }: T) => ({ externalId: id, ...rest });

const Listing = withId(DirectoryListing);

export const readPage = reader(Listing, withExternalId);

export const readResults = reader(Type.Object({ results: Type.Array(Listing) }), ({ results }) =>
  results.map(withExternalId),
);

export const readSubmission = reader(withId(Submission), withExternalId);

export const readReview = reader(SubmissionReview, unchanged);

export const readRemoval = reader(Type.Object({ removed: Type.Boolean() }), unchanged);

export const readClaim = reader(Type.Object({ claim }), unchanged);

const readDataPoint = reader(
  withId(Type.Object({ ...DirectoryDataPoint.properties, replies: Type.Array(withId(DirectoryReply)) })),
  ({ replies, ...point }) => ({ ...withExternalId(point), replies: replies.map(withExternalId) }),
);
const readId = reader(Type.Object({ id: externalId }), ({ id }) => id);

/** One invalid datapoint does not make the page invalid. */
export const readStream = reader(
  Type.Object({ dataPoints: Type.Array(Type.Unknown()), cursor: externalId, more: Type.Boolean() }),
  ({ dataPoints, cursor, more }) => ({
    dataPoints: dataPoints.flatMap((entry) => readDataPoint(entry) ?? []),
    invalidIds: dataPoints.flatMap((entry) => (readDataPoint(entry) ? [] : (readId(entry) ?? ''))),
    cursor,
    more,
  }),
);

export const readIds = reader(
  Type.Object({
    total: Type.Integer({ minimum: 0 }),
    ids: Type.Array(Type.Object({ id: externalId, replyIds: Type.Array(externalId) })),
    next: Type.Optional(externalId),
  }),
  ({ ids, ...page }) => ({ ...page, ids: ids.map(withExternalId) }),
);

export const readReply = reader(Type.Object({ id: externalId }), withExternalId);

export const readBrandPages = reader(Type.Object({ brandPages: Type.Array(withId(BrandPage)) }), ({ brandPages }) =>
  brandPages.map(withExternalId),
);

/** Omits invalid entries. Undefined if no entry is valid, unless the list is empty. */
const entriesOf = <T extends TSchema>(schema: T) => {
  const readEntry = reader(schema, unchanged);
  return (entries: readonly unknown[]) => {
    const valid = entries.flatMap((entry) => readEntry(entry) ?? []);
    return valid.length > 0 || entries.length === 0 ? valid : undefined;
  };
};

const countsOf = entriesOf(DailyInsight);

export const readCounts = reader(Type.Object({ counts: Type.Array(Type.Unknown()) }), ({ counts }) => countsOf(counts));

const keywordsOf = entriesOf(KeywordInsight);

export const readKeywordList = reader(Type.Object({ keywords: Type.Array(Type.Unknown()) }), ({ keywords }) =>
  keywordsOf(keywords),
);

export const readPost = reader(withId(PublishedPost), withExternalId);

export const readWithdrawal = reader(Type.Object({ withdrawn: Type.Boolean() }), unchanged);

export const readMessages = reader(
  Type.Object({ messages: Type.Array(Type.String(), { minItems: 1 }) }),
  ({ messages }) => messages,
);
