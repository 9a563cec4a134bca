import Type, { type Static } from 'typebox';
import type { CallerUser } from '../../../http/access.ts';

/**
 * An answer of ours waits for approval, then for its turn (SCHEDULED), is under way (SENDING), and ends as PUBLISHED
 * or FAILED. What others wrote is PUBLISHED. DELETED: withdrawn before it was sent, or gone from the directory.
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
  /** How often it was sent without an answer. */
  tries: number;
  dateCreated: Date;
  lastUpdated: Date;
}

export const ReplyAnswer = Type.Object({
  id: Type.Integer(),
  author: Type.String(),
  data: Type.String(),
  ownerReply: Type.Boolean({ description: 'Whether it is an answer of the owner' }),
  status: Type.Enum([...replyStatuses]),
  message: Type.Optional(Type.String({ description: 'Why it was not published' })),
  createdBy: Type.Optional(
    Type.String({ description: 'Who wrote it here; absent when it was written on the directory' }),
  ),
  approvedBy: Type.Optional(Type.String()),
  dateCreated: Type.String(),
  lastUpdated: Type.String(),
});

export const replyAnswer = (reply: Reply): Static<typeof ReplyAnswer> => ({
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
  description: 'What is answered, not only spaces',
});

/** A location manager's words are read by somebody else before the world does. */
export const publishesDirectly = (user: CallerUser | undefined) => user?.role !== 'LOCATION_MANAGER';
