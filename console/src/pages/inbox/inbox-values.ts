import type { ResponseOf } from '../../api/call.ts';
import type { Tone } from '../../parts/status-badge.tsx';
import { keysOf } from '../../texts/t.ts';
import { inbox } from './inbox-texts.ts';

export type Datapoint = ResponseOf<'PATCH /api/data-points/{id}'>;
export type ListedDatapoint = ResponseOf<'GET /api/data-points'>['inbox']['dataPoints'][number];
export type Reply = Datapoint['replies'][number];

export const datapointTypes = keysOf<Datapoint['type']>(inbox.types);

export const sorts = ['oldest', 'best', 'worst'] as const;

export const replyTones: Record<Reply['status'], Tone> = {
  PENDING_APPROVAL: 'warning',
  SCHEDULED: 'busy',
  SENDING: 'busy',
  PUBLISHED: 'good',
  FAILED: 'bad',
  DELETED: 'neutral',
};

/** The limits of the API. */
export const maxReplies = (type: Datapoint['type']): number => (type === 'REVIEW' || type === 'QUESTION' ? 1 : 50);

export const hasMaxReplies = ({ type, replies }: Pick<Datapoint, 'type' | 'replies'>): boolean =>
  replies.filter(({ ownerReply, status }) => ownerReply && status !== 'FAILED' && status !== 'DELETED').length >=
  maxReplies(type);
