import type { Network } from './network.ts';
import type { Page } from './page-store.ts';

interface Review {
  owner: string;
  state: 'ACCEPTED' | 'REJECTED';
  messages: string[];
}

export function findReview({ sql }: Network, directory: string, page: string): Review | undefined {
  const row = sql.one<Omit<Review, 'messages'> & { messages: string }>`
    select owner, state, messages from reviews where directory = ${directory} and page = ${page}`;
  return row && { ...row, messages: JSON.parse(row.messages) };
}

export function saveReview({ sql }: Network, { directory, id, owner }: Page, review: Omit<Review, 'owner'>): void {
  const { state, messages } = review;
  sql.replace('reviews', { directory, page: id, owner: owner ?? 'nobody', state, messages: JSON.stringify(messages) });
}
