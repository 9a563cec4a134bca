import Type, { type Static } from 'typebox';
import { findDirectory } from '../../directories/index.ts';
import { onlyFields } from './field-mask.ts';
import { type Reply, ReplyAnswer, replyAnswer } from './reply.ts';

export const datapointTypes = ['REVIEW', 'PHOTO', 'CHECKIN', 'CONVERSATION', 'COMMENT', 'QUESTION'] as const;
export type DatapointType = (typeof datapointTypes)[number];

/** INVALID: gone from the directory. Directories do reinstate: the way back is open. */
export const datapointStatuses = ['VALID', 'INVALID'] as const;
export type DatapointStatus = (typeof datapointStatuses)[number];

/** Something that a customer left on a directory: at a location's listing, or on a page of the brand. */
export interface Datapoint {
  id: number;
  type: DatapointType;
  status: DatapointStatus;
  businessId: number;
  locationId: number | null;
  listingId: number | null;
  pageId: number | null;
  directoryType: string;
  externalId: string;
  text: string | null;
  language: string | null;
  rating: number | null;
  author: string | null;
  authorImage: string | null;
  photoUrl: string | null;
  directLink: string | null;
  actionDate: Date;
  threadActionDate: Date;
  read: boolean;
  liked: boolean;
  flagged: boolean;
  dateCreated: Date;
  lastUpdated: Date;
}

export const DatapointAnswer = Type.Object({
  id: Type.Integer(),
  type: Type.Enum([...datapointTypes]),
  status: Type.Enum([...datapointStatuses]),
  data: Type.Optional(Type.String({ description: 'What was written' })),
  language: Type.Optional(Type.String({ description: 'ISO 639-1, as the directory says' })),
  rating: Type.Optional(Type.Number({ description: '0 to 5' })),
  author: Type.Optional(Type.String()),
  authorImage: Type.Optional(Type.String()),
  photo: Type.Optional(Type.String({ description: 'Where the photo is' })),
  actionDate: Type.String({ description: 'When it was left' }),
  threadActionDate: Type.String({ description: 'When anything last happened in its thread' }),
  directoryType: Type.String(),
  directLink: Type.Optional(Type.String({ description: 'Where it is on the directory' })),
  businessId: Type.Integer(),
  locationId: Type.Optional(Type.Integer()),
  listingId: Type.Optional(Type.Integer()),
  directoryBusinessPage: Type.Optional(Type.Integer({ description: 'The brand page, instead of a listing' })),
  read: Type.Boolean(),
  liked: Type.Boolean(),
  flagged: Type.Boolean(),
  supportsReply: Type.Boolean({ description: 'Whether the directory takes an answer to it' }),
  replyMaxLength: Type.Integer({ description: 'How many characters an answer may have; 0 when none is taken' }),
  replies: Type.Array(ReplyAnswer, { description: 'Answers and comments, the oldest first' }),
  comments: Type.Array(ReplyAnswer, { description: 'The same as replies, by its other name' }),
  dateCreated: Type.String({ description: 'When it was found' }),
  lastUpdated: Type.String(),
});

export const datapointFields = Object.keys(DatapointAnswer.properties) as readonly (keyof Static<
  typeof DatapointAnswer
>)[];

/** What a field mask leaves of it. */
export const MaskedDatapoint = Type.Object({
  ...Type.Partial(DatapointAnswer).properties,
  id: DatapointAnswer.properties.id,
});

export const masked = (
  answer: Static<typeof DatapointAnswer>,
  fields: ReadonlySet<string>,
): Static<typeof MaskedDatapoint> => ({ ...onlyFields(answer, fields), id: answer.id });

export function datapointAnswer(datapoint: Datapoint, replies: readonly Reply[]): Static<typeof DatapointAnswer> {
  const thread = replies.map(replyAnswer);
  return {
    id: datapoint.id,
    type: datapoint.type,
    status: datapoint.status,
    ...(datapoint.text !== null && { data: datapoint.text }),
    ...(datapoint.language !== null && { language: datapoint.language }),
    ...(datapoint.rating !== null && { rating: datapoint.rating }),
    ...(datapoint.author !== null && { author: datapoint.author }),
    ...(datapoint.authorImage !== null && { authorImage: datapoint.authorImage }),
    ...(datapoint.photoUrl !== null && { photo: datapoint.photoUrl }),
    actionDate: datapoint.actionDate.toISOString(),
    threadActionDate: datapoint.threadActionDate.toISOString(),
    directoryType: datapoint.directoryType,
    ...(datapoint.directLink !== null && { directLink: datapoint.directLink }),
    businessId: datapoint.businessId,
    ...(datapoint.locationId !== null && { locationId: datapoint.locationId }),
    ...(datapoint.listingId !== null && { listingId: datapoint.listingId }),
    ...(datapoint.pageId !== null && { directoryBusinessPage: datapoint.pageId }),
    read: datapoint.read,
    liked: datapoint.liked,
    flagged: datapoint.flagged,
    supportsReply: supportsReply(datapoint),
    replyMaxLength: supportsReply(datapoint) ? replyMaxLength(datapoint) : 0,
    replies: thread,
    comments: thread,
    dateCreated: datapoint.dateCreated.toISOString(),
    lastUpdated: datapoint.lastUpdated.toISOString(),
  };
}

/** Nobody answers a photo or a check-in, and nothing that is gone. */
export const supportsReply = ({ type, status, directoryType }: Pick<Datapoint, 'type' | 'status' | 'directoryType'>) =>
  status === 'VALID' &&
  type !== 'PHOTO' &&
  type !== 'CHECKIN' &&
  (findDirectory(directoryType)?.supports.replies ?? false);

export const replyMaxLength = ({ directoryType }: Pick<Datapoint, 'directoryType'>) =>
  findDirectory(directoryType)?.replyMaxLength ?? 0;

/** Directories keep one answer of the owner to a review or a question; elsewhere people talk. */
export const mostReplies = (type: DatapointType) => (type === 'REVIEW' || type === 'QUESTION' ? 1 : 50);
