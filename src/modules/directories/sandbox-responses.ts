import Type, { type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type {
  DirectoryDataPoint,
  DirectoryListing,
  ListingProfile,
  Submission,
  SubmissionReview,
} from './connector.ts';

const text = Type.String();
const id = Type.String({ minLength: 1, maxLength: 200 });
const url = Type.Optional(Type.String({ pattern: '^https?://' }));
const count = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 });
const time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' });
const optionalText = Type.Optional(text);

const periods = {
  closed: Type.Optional(Type.Boolean()),
  from1: optionalText,
  to1: optionalText,
  from2: optionalText,
  to2: optionalText,
};

const Profile = Type.Object({
  name: text,
  street: optionalText,
  streetNo: optionalText,
  addressExtra: optionalText,
  zip: optionalText,
  city: optionalText,
  province: optionalText,
  country: optionalText,
  lat: Type.Optional(Type.Number({ minimum: -90, maximum: 90 })),
  lng: Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
  addressDisplay: Type.Optional(Type.Boolean()),
  phone: optionalText,
  website: optionalText,
  email: optionalText,
  descriptionShort: optionalText,
  descriptionLong: optionalText,
  categories: Type.Optional(Type.Array(text)),
  openingHours: Type.Optional(
    Type.Array(Type.Object({ dayOfWeek: Type.Integer({ minimum: 1, maximum: 7 }), ...periods })),
  ),
  specialOpeningHours: Type.Optional(Type.Array(Type.Object({ date: text, ...periods }))),
  photos: Type.Optional(Type.Array(text)),
  temporarilyClosed: Type.Optional(Type.Boolean()),
});

const Claim = Type.Enum([
  'CLAIMABLE',
  'NOT_CLAIMABLE',
  'CLAIMED_BY_US',
  'CLAIMED_BY_OTHERS',
  'CLAIMED_BY_ANOTHER_US',
  'CLAIMING_IN_PROGRESS',
]);

const Page = Type.Object({
  id,
  url,
  profile: Profile,
  claim: Claim,
  duplicateOf: Type.Optional(id),
  pending: Type.Optional(Type.Boolean()),
});

const DataPoint = Type.Object({
  id,
  type: Type.Enum(['REVIEW', 'PHOTO', 'CHECKIN', 'CONVERSATION', 'COMMENT', 'QUESTION']),
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

/** Reads an answer of the sandbox; undefined when it is not what was asked for. */
const reader = <T extends TSchema, Read>(schema: T, read: (answer: Static<T>) => Read) => {
  const validator = Compile(schema);
  return (answer: unknown): Read | undefined => (validator.Check(answer) ? read(answer as Static<T>) : undefined);
};

const listingOf = ({
  id: externalId,
  url: address,
  profile,
  claim,
  ...rest
}: Static<typeof Page>): DirectoryListing => ({
  externalId,
  url: address,
  profile: profile as ListingProfile,
  claim: claim as DirectoryListing['claim'],
  ...(rest.duplicateOf !== undefined && { duplicateOf: rest.duplicateOf }),
  ...(rest.pending && { pending: true }),
});

const dataPointOf = ({ id: externalId, replies, ...point }: Static<typeof DataPoint>): DirectoryDataPoint => ({
  ...(point as Omit<DirectoryDataPoint, 'externalId' | 'replies'>),
  externalId,
  replies: replies.map(({ id: replyId, ...reply }) => ({ externalId: replyId, ...reply })),
});

export const readPage = reader(Page, listingOf);

export const readResults = reader(Type.Object({ results: Type.Array(Page) }), ({ results }) => results.map(listingOf));

export const readSubmission = reader(
  Type.Object({ id, url, state: Type.Enum(['ACCEPTED', 'PENDING']), messages: Type.Array(text) }),
  (answer): Submission => ({
    externalId: answer.id,
    url: answer.url,
    state: answer.state as Submission['state'],
    messages: answer.messages,
  }),
);

export const readReview = reader(
  Type.Object({
    state: Type.Enum(['PENDING', 'ACCEPTED', 'REJECTED']),
    messages: Type.Array(text),
    pageExists: Type.Boolean(),
  }),
  (answer): SubmissionReview => ({ ...answer, state: answer.state as SubmissionReview['state'] }),
);

export const readRemoval = reader(Type.Object({ removed: Type.Boolean() }), ({ removed }) => ({ removed }));

export const readClaim = reader(Type.Object({ claim: Claim }), ({ claim }) => ({
  claim: claim as DirectoryListing['claim'],
}));

export const readStream = reader(
  Type.Object({ dataPoints: Type.Array(DataPoint), cursor: id, more: Type.Boolean() }),
  ({ dataPoints, cursor, more }) => ({ dataPoints: dataPoints.map(dataPointOf), cursor, more }),
);

export const readIds = reader(
  Type.Object({
    total: count,
    ids: Type.Array(Type.Object({ id, replyIds: Type.Array(id) })),
    next: Type.Optional(id),
  }),
  ({ total, ids, next }) => ({
    total,
    next,
    ids: ids.map(({ id: externalId, replyIds }) => ({ externalId, replyIds })),
  }),
);

export const readReply = reader(Type.Object({ id }), (answer) => ({ externalId: answer.id }));

export const readBrandPages = reader(
  Type.Object({ brandPages: Type.Array(Type.Object({ id, name: text, url, followers: count })) }),
  ({ brandPages }) =>
    brandPages.map(({ id: externalId, name, url: address, followers }) => ({
      externalId,
      name,
      url: address,
      followers,
    })),
);

export const readCounts = reader(
  Type.Object({
    counts: Type.Array(Type.Object({ metric: text, day: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }), count })),
  }),
  ({ counts }) => counts,
);

export const readKeywordList = reader(
  Type.Object({
    keywords: Type.Array(
      Type.Object({ keyword: text, month: Type.String({ pattern: '^\\d{4}-\\d\\d$' }), impressions: count }),
    ),
  }),
  ({ keywords }) => keywords,
);

export const readPost = reader(Type.Object({ id, url }), (answer) => ({ externalId: answer.id, url: answer.url }));

export const readWithdrawal = reader(Type.Object({ withdrawn: Type.Boolean() }), ({ withdrawn }) => ({ withdrawn }));

export const readMessages = reader(
  Type.Object({ messages: Type.Array(text, { minItems: 1 }) }),
  ({ messages }) => messages,
);
