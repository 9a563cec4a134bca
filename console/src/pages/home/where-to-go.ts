import type { AnyRoute } from '@tanstack/react-router';
import { useMayDo, useSession } from '../../api/session.ts';
import { pages } from '../../pages.ts';
import { type Destination, destinationsAmong } from '../../shell/navigation.ts';

type Category = 'LOCATIONS' | 'LISTINGS' | 'INBOX' | 'SOCIAL_POSTS';

export interface Way {
  to: string;
  search: Record<string, unknown>;
}

const homes: Record<Category, string> = {
  LOCATIONS: '/locations',
  LISTINGS: '/listings',
  INBOX: '/inbox',
  SOCIAL_POSTS: '/posts',
};

/** What a page is asked to show first, for whoever comes to do this. */
const searches: Record<string, Record<string, unknown>> = {
  DATAPOINT_UNREAD: { isRead: false },
  DATAPOINT_UNREPLIED: { hasReply: false },
  ANSWER_MORE_REVIEWS: { hasReply: false },
  ANSWER_REVIEWS_FASTER: { hasReply: false },
  LISTING_CONNECTION_MISSING: { connectStatus: ['NOT_CONNECTED'] },
};

/** Where something is done: only a page that exists and that the user may open. */
export function useWays(): (category: Category, type: string) => Way | undefined {
  const open = useDestinations().map(({ to }) => to);
  const mayPost = useMayDo('SOCIAL_POST_WRITE');
  return (category, type) => {
    const to = homes[category];
    if (!open.includes(to)) return undefined;
    if (category === 'SOCIAL_POSTS') return mayPost ? { to: '/posts/new', search: {} } : undefined;
    return { to, search: searches[type] ?? {} };
  };
}

/** The page of a location, where there is one. */
export function usePlaceLink(): ((id: number) => string) | undefined {
  const open = useDestinations();
  const isThere = (pages as readonly AnyRoute[]).some(({ fullPath }) => fullPath === '/locations/$locationId');
  return isThere && open.some(({ to }) => to === '/locations') ? (id) => `/locations/${id}` : undefined;
}

/** The pages that the user may open, but for this one. */
export const useDestinations = (): Destination[] =>
  destinationsAmong(pages as readonly AnyRoute[], useSession()).filter(({ to }) => to !== '/');
