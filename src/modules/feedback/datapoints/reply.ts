import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { DatapointReplies } from '../../../database/schema.ts';
import type { CallerUser } from '../../../http/access.ts';
import { recordResponse } from '../../../http/record-response.ts';

/**
 * Our replies: PENDING_APPROVAL, SCHEDULED, SENDING, then PUBLISHED or FAILED. Replies from the directory are
 * PUBLISHED. DELETED: withdrawn before it was sent, or removed from the directory.
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
  dateCreated: Type.String(),
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
