import Type, { type Static } from 'typebox';
import type { CallerUser } from '../../../http/access.ts';

/**
 * Our replies: PENDING_APPROVAL, SCHEDULED, SENDING, then PUBLISHED or FAILED. Replies from the directory are
 * PUBLISHED. DELETED: withdrawn before it was sent, or removed from the directory.
 */
const replyStatuses = ['PENDING_APPROVAL', 'SCHEDULED', 'SENDING', 'PUBLISHED', 'FAILED', 'DELETED'] as const;
export type ReplyStatus = (typeof replyStatuses)[number];

export interface Reply {
  id: number;
  datapointId: number;
  externalId: string | null;
  author: string;
  text: string;
  ownerReply: boolean;
  status: ReplyStatus;
  /** Why it failed. */
  message: string | null;
  createdBy: string | null;
  approvedBy: string | null;
  /** Attempts without a response. */
  tries: number;
  dateCreated: Date;
  lastUpdated: Date;
}

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

export const replyResponse = (reply: Reply): Static<typeof ReplyResponse> => ({
  id: reply.id,
  author: reply.author,
  data: reply.text,
  ownerReply: reply.ownerReply,
  status: reply.status,
  ...(reply.message !== null && { message: reply.message }),
  ...(reply.createdBy !== null && { createdBy: reply.createdBy }),
  ...(reply.approvedBy !== null && { approvedBy: reply.approvedBy }),
  dateCreated: reply.dateCreated.toISOString(),
  lastUpdated: reply.lastUpdated.toISOString(),
});

export const ReplyText = Type.String({
  pattern: '\\S',
  maxLength: 20_000,
  description: 'Text of the reply; must not be blank',
});

/** Replies of location managers require approval. */
export const publishesDirectly = (user: CallerUser | undefined) => user?.role !== 'LOCATION_MANAGER';
