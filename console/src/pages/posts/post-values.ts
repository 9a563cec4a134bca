import type { SocialPost } from '../../api/api-types.ts';
import type { Tone } from '../../parts/status-badge.tsx';

export const postTypes = ['POST', 'OFFER', 'EVENT', 'QUESTION_AND_ANSWER'] as const;
export const postStatuses = [
  'SCHEDULED',
  'APPROVAL_NEEDED',
  'ACTIVE',
  'INACTIVE',
  'ENDED',
  'REJECTED',
  'IMPOSSIBLE',
] as const;
export const actionTypes = ['BOOK', 'ORDER', 'BUY', 'LEARN_MORE', 'SIGN_UP', 'GET_OFFER', 'CALL'] as const;

export const toneOf: Record<SocialPost['status'], Tone> = {
  SCHEDULED: 'busy',
  APPROVAL_NEEDED: 'warning',
  ACTIVE: 'good',
  INACTIVE: 'neutral',
  ENDED: 'neutral',
  REJECTED: 'bad',
  IMPOSSIBLE: 'bad',
  DELETED: 'neutral',
};

/** What a post is called in a list: its title, or how it begins. */
export const nameOf = ({ title, description }: Pick<SocialPost, 'title' | 'description'>): string =>
  title?.trim() || description?.trim().split('\n')[0] || '';

/** What directories count: the title, a line end and the text. */
export const countedText = (title: string, description: string): string =>
  [title, description].filter((part) => part.trim()).join('\n');
