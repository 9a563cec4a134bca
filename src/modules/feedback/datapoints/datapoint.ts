import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { DatapointReplies, Datapoints } from '../../../database/schema.ts';
import type { CallerUser } from '../../../http/access.ts';
import { fieldNames, recordResponse } from '../../../http/record-response.ts';
import { invalidField } from '../../../problems.ts';
import { type DirectoryDataPoint, dataPointTypes, directoryName, findDirectory } from '../../directories/index.ts';
import type { DatapointCheckState } from '../../listings/index.ts';

/**
 * Our replies: PENDING_APPROVAL, SCHEDULED, SENDING, then PUBLISHED or FAILED. Replies from the directory are
 * PUBLISHED. DELETED: withdrawn before it was published, or removed from the directory.
 */
const replyStatuses = ['PENDING_APPROVAL', 'SCHEDULED', 'SENDING', 'PUBLISHED', 'FAILED', 'DELETED'] as const;
export type ReplyStatus = (typeof replyStatuses)[number];

/** `message`: why it failed. `tries`: attempts without a response. */
export type Reply = Omit<Selectable<DatapointReplies>, 'sendingProcess' | 'sendingUntil' | 'status'> & {
  status: ReplyStatus;
};

export const ReplyResponse = Type.Object({
  id: Type.Integer(),
  author: Type.String(),
  data: Type.String(),
  ownerReply: Type.Boolean({ description: 'Whether the owner wrote the reply' }),
  status: Type.Enum([...replyStatuses]),
  message: Type.Optional(Type.String({ description: 'Why the reply was not published' })),
  createdBy: Type.Optional(
    Type.String({ description: 'User or key that created the reply; absent if it was written on the directory' }),
  ),
  approvedBy: Type.Optional(Type.String()),
  dateCreated: Type.String({ description: 'When the reply was written, or when it was published' }),
  lastUpdated: Type.String(),
});

export const replyResponse = (reply: Reply): Static<typeof ReplyResponse> =>
  recordResponse(ReplyResponse, { ...reply, data: reply.text });

export const ReplyText = Type.String({
  pattern: '\\S',
  maxLength: 20_000,
  description: 'Text of the reply; must not be blank',
});

/** Replies of location managers require approval. */
export const publishesDirectly = (user: CallerUser | undefined) => user?.role !== 'LOCATION_MANAGER';

export type DatapointType = DirectoryDataPoint['type'];

/**
 * INVALID: removed from the directory, or its listing or brand page is no longer linked. A check that finds it again makes
 * it VALID.
 */
export const datapointStatuses = ['VALID', 'INVALID'] as const;
type DatapointStatus = (typeof datapointStatuses)[number];

type InternalColumn =
  | 'partnerId'
  | 'fingerprint'
  | 'locationDeleted'
  | 'ownerRepliedAt'
  | 'replied'
  | 'repliesCount'
  | 'search';

/** Customer feedback on a directory, on a listing of a location or on a brand page. */
export type Datapoint = Omit<Selectable<Datapoints>, InternalColumn | 'type' | 'status'> & {
  type: DatapointType;
  status: DatapointStatus;
};

export const DatapointResponse = Type.Object({
  id: Type.Integer(),
  type: Type.Enum([...dataPointTypes]),
  status: Type.Enum([...datapointStatuses]),
  data: Type.Optional(Type.String({ description: 'Text of the datapoint' })),
  language: Type.Optional(Type.String({ description: 'ISO 639-1 code from the directory' })),
  rating: Type.Optional(Type.Number({ description: '0 to 5' })),
  author: Type.Optional(Type.String()),
  authorImage: Type.Optional(Type.String()),
  photo: Type.Optional(Type.String({ description: 'URL of the photo' })),
  actionDate: Type.String({ description: 'When the customer posted it' }),
  threadActionDate: Type.String({ description: 'When the thread last changed' }),
  directoryType: Type.String(),
  directLink: Type.Optional(Type.String({ description: 'URL on the directory' })),
  businessId: Type.Integer(),
  locationId: Type.Optional(Type.Integer()),
  listingId: Type.Optional(Type.Integer()),
  directoryBusinessPage: Type.Optional(
    Type.Integer({ description: 'Id of the brand page, for datapoints without a listing' }),
  ),
  read: Type.Boolean(),
  liked: Type.Boolean(),
  flagged: Type.Boolean(),
  supportsReply: Type.Boolean({ description: 'Whether a reply can be posted' }),
  replyMaxLength: Type.Integer({
    description: 'Maximum length of a reply in characters; 0 if replies are not supported',
  }),
  replies: Type.Array(ReplyResponse, { description: 'Replies and comments, oldest first' }),
  comments: Type.Array(ReplyResponse, { description: 'Alias of replies' }),
  dateCreated: Type.String({ description: 'When a check first found it' }),
  lastUpdated: Type.String(),
});

export const datapointFields = fieldNames(DatapointResponse);

/** A datapoint with a field mask applied. */
export const MaskedDatapoint = Type.Object({
  ...Type.Partial(DatapointResponse).properties,
  id: DatapointResponse.properties.id,
});

/** Its times are dates, or text in ISO 8601. */
type ShownDatapoint = { [Name in keyof Datapoint]: Datapoint[Name] | (Date extends Datapoint[Name] ? string : never) };

/** All fields, or those of a field mask. */
export function datapointResponse(
  datapoint: ShownDatapoint,
  replies: readonly Reply[],
  fields?: ReadonlySet<string>,
): Static<typeof DatapointResponse> {
  const thread = replies.map(replyResponse);
  const isRepliable = supportsReply(datapoint);
  return recordResponse(
    DatapointResponse,
    {
      ...datapoint,
      data: datapoint.text,
      photo: datapoint.photoUrl,
      directoryBusinessPage: datapoint.pageId,
      supportsReply: isRepliable,
      replyMaxLength: isRepliable ? replyMaxLength(datapoint) : 0,
      replies: thread,
      comments: thread,
    },
    fields,
  );
}

/** Photos, check-ins and removed datapoints cannot have replies. */
export const supportsReply = ({ type, status, directoryType }: Pick<Datapoint, 'type' | 'status' | 'directoryType'>) =>
  status === 'VALID' &&
  type !== 'PHOTO' &&
  type !== 'CHECKIN' &&
  (findDirectory(directoryType)?.supports.replies ?? false);

/** Why replies are not possible; undefined if the datapoint is on a listing or brand page that belongs to the partner. */
export function refusalOfReply(
  { id, status, pageId, directoryType }: Pick<Datapoint, 'id' | 'pageId' | 'directoryType'> & { status: string },
  { isCurrent }: Pick<DatapointCheckState, 'isCurrent'>,
): string | undefined {
  if (!isCurrent) {
    return pageId === null
      ? `The listing of datapoint ${id} is no longer linked to the same listing on ${directoryName(directoryType)}. Replies are not possible.`
      : `The brand page of datapoint ${id} no longer belongs to the business. Replies are not possible.`;
  }
  return status === 'VALID'
    ? undefined
    : `Datapoint ${id} was removed from ${directoryName(directoryType)}. Replies are not possible.`;
}

export const replyMaxLength = ({ directoryType }: Pick<Datapoint, 'directoryType'>) =>
  findDirectory(directoryType)?.replyMaxLength ?? 0;

/** Directories allow one owner reply to a review or a question. 50 is our own limit for the other types. */
export const maxReplies = (type: DatapointType) => (type === 'REVIEW' || type === 'QUESTION' ? 1 : 50);

export function replyLimitReached({ id, type }: Pick<Datapoint, 'id' | 'type'>): string {
  const limit = maxReplies(type);
  const replies = limit === 1 ? 'one owner reply' : `${limit} owner replies`;
  return `Datapoint ${id} has reached the limit of ${replies} to a ${type}.`;
}

export const fieldMask = Type.Optional(
  Type.Array(Type.String(), { maxItems: 100, description: 'Fields to return; the id is always returned' }),
);

export function readFieldMask<Field extends string>(
  mask: readonly string[] | undefined,
  fields: readonly Field[],
): ReadonlySet<Field> {
  if (!mask || mask.length === 0) return new Set(fields);
  const unknown = mask.filter((name) => !(fields as readonly string[]).includes(name));
  if (unknown.length > 0) {
    throw invalidField(
      'fieldMask',
      'enum',
      `fieldMask has unknown fields: ${unknown.join(', ')}. Accepted are ${fields.join(', ')}.`,
    );
  }
  return new Set(['id' as Field, ...(mask as readonly Field[])]);
}
