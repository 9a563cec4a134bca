import type { Network } from './network.ts';
import type { Page } from './page-store.ts';

interface Review {
  owner: string;
  state: 'ACCEPTED' | 'REJECTED';
  messages: string[];
}

export function findReview({ sql }: Network, directory: string, page: string): Review | undefined {
  const row = sql.one<Omit<Review, 'messages'> & { messages: string }>(
    'select owner, state, messages from reviews where directory = ? and page = ?',
    directory,
    page,
  );
  return row && { ...row, messages: JSON.parse(row.messages) };
}

export function saveReview({ sql }: Network, { directory, id, owner }: Page, review: Omit<Review, 'owner'>): void {
  sql.run(
    'insert or replace into reviews values (?, ?, ?, ?, ?)',
    directory,
    id,
    owner ?? 'nobody',
    review.state,
    JSON.stringify(review.messages),
  );
}
