import Type, { type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { claims, dataPointTypes, ListingProfile } from './connector.ts';

const text = Type.String();
const id = Type.String({ minLength: 1, maxLength: 200 });
const url = Type.Optional(Type.String({ pattern: '^https?://' }));
const count = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 });
const time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' });
const optionalText = Type.Optional(text);

const Claim = Type.Enum([...claims]);

const Page = Type.Object({
  id,
  url,
  profile: ListingProfile,
  claim: Claim,
  duplicateOf: Type.Optional(id),
  pending: Type.Optional(Type.Boolean()),
});

const DataPoint = Type.Object({
  id,
  type: Type.Enum([...dataPointTypes]),
  text: optionalText,
  language: optionalText,
  rating: Type.Optional(Type.Number({ minimum: 0, maximum: 5 })),
  author: text,
  authorImage: optionalText,
  photoUrl: optionalText,
  directLink: optionalText,
  actionDate: time,
  threadActionDate: time,
  replies: Type.Array(Type.Object({ id, author: text, text, isOwner: Type.Boolean(), date: time })),
});

/** Maps a response body of the sandbox; undefined if it does not match the schema. */
const reader = <T extends TSchema, Result>(schema: T, map: (body: Static<T>) => Result) => {
  const validator = Compile(schema);
  return (body: unknown): Result | undefined => (validator.Check(body) ? map(body as Static<T>) : undefined);
};

const unchanged = <T>(body: T): T => body;

const withExternalId = <T extends { id: string }>({ id: externalId, ...rest }: T) => ({ externalId, ...rest });

export const readPage = reader(Page, withExternalId);

export const readResults = reader(Type.Object({ results: Type.Array(Page) }), ({ results }) =>
  results.map(withExternalId),
);

export const readSubmission = reader(
  Type.Object({ id, url, state: Type.Enum(['ACCEPTED', 'PENDING']), messages: Type.Array(text) }),
  withExternalId,
);

export const readReview = reader(
  Type.Object({
    state: Type.Enum(['PENDING', 'ACCEPTED', 'REJECTED']),
    messages: Type.Array(text),
    pageExists: Type.Boolean(),
  }),
  unchanged,
);

export const readRemoval = reader(Type.Object({ removed: Type.Boolean() }), unchanged);

export const readClaim = reader(Type.Object({ claim: Claim }), unchanged);

const readDataPoint = reader(DataPoint, (point) => ({
  ...withExternalId(point),
  replies: point.replies.map(withExternalId),
}));
const readId = reader(Type.Object({ id }), (body) => body.id);

/** One invalid datapoint does not make the page invalid. */
export const readStream = reader(
  Type.Object({ dataPoints: Type.Array(Type.Unknown()), cursor: id, more: Type.Boolean() }),
  ({ dataPoints, cursor, more }) => ({
    dataPoints: dataPoints.flatMap((entry) => readDataPoint(entry) ?? []),
    invalidIds: dataPoints.flatMap((entry) => (readDataPoint(entry) ? [] : (readId(entry) ?? ''))),
    cursor,
    more,
  }),
);

export const readIds = reader(
  Type.Object({
    total: count,
    ids: Type.Array(Type.Object({ id, replyIds: Type.Array(id) })),
    next: Type.Optional(id),
  }),
  ({ ids, ...page }) => ({ ...page, ids: ids.map(withExternalId) }),
);

export const readReply = reader(Type.Object({ id }), withExternalId);

export const readBrandPages = reader(
  Type.Object({ brandPages: Type.Array(Type.Object({ id, name: text, url, followers: count })) }),
  ({ brandPages }) => brandPages.map(withExternalId),
);

/** Omits invalid entries. Undefined if no entry is valid, unless the list is empty. */
const entriesOf = <T extends TSchema>(schema: T) => {
  const readEntry = reader(schema, unchanged);
  return (entries: readonly unknown[]) => {
    const valid = entries.flatMap((entry) => readEntry(entry) ?? []);
    return valid.length > 0 || entries.length === 0 ? valid : undefined;
  };
};

const countsOf = entriesOf(
  Type.Object({ metric: text, day: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }), count }),
);

export const readCounts = reader(Type.Object({ counts: Type.Array(Type.Unknown()) }), ({ counts }) => countsOf(counts));

const keywordsOf = entriesOf(
  Type.Object({ keyword: text, month: Type.String({ pattern: '^\\d{4}-\\d\\d$' }), impressions: count }),
);

export const readKeywordList = reader(Type.Object({ keywords: Type.Array(Type.Unknown()) }), ({ keywords }) =>
  keywordsOf(keywords),
);

export const readPost = reader(Type.Object({ id, url }), withExternalId);

export const readWithdrawal = reader(Type.Object({ withdrawn: Type.Boolean() }), unchanged);

export const readMessages = reader(
  Type.Object({ messages: Type.Array(text, { minItems: 1 }) }),
  ({ messages }) => messages,
);
