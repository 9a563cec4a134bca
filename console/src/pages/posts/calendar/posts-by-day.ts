import type { SocialPost } from '../../../api/api-types.ts';
import { localDay } from '../../../parts/days.ts';

export type PostsByDay = ReadonlyMap<string, readonly SocialPost[]>;

export function postsByDay(posts: readonly SocialPost[]): PostsByDay {
  const byDay = new Map<string, SocialPost[]>();
  const inOrder = [...posts].sort((a, b) => a.publicationDate.localeCompare(b.publicationDate));
  for (const post of inOrder) {
    const day = localDay(new Date(post.publicationDate));
    byDay.set(day, [...(byDay.get(day) ?? []), post]);
  }
  return byDay;
}
