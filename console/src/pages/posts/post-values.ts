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

/** Title, or the beginning of the text. */
export const nameOf = ({ title, description }: Pick<SocialPost, 'title' | 'description'>): string =>
  title?.trim() || description?.trim().split('\n')[0] || '';

/** Directories count the title, a line break and the text. */
export const countedText = (title: string, description: string): string =>
  [title, description].filter((part) => part.trim()).join('\n');
