import type { AnyRoute } from '@tanstack/react-router';
import { useMayDo, useSession } from '../../api/session.ts';
import { pages } from '../../pages.ts';
import { type Destination, destinationsAmong } from '../../shell/navigation.ts';
import type { HomeScope } from './home-values.ts';
import type { ToDo } from './to-do.ts';

export interface Way {
  to: string;
  search: Record<string, unknown>;
}

const homes: Record<ToDo['category'], string> = {
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
  LOOK_INTO_LOW_RATINGS: { rating: [1, 2] },
  LISTING_FIELDS_MISSING: { flow: ['WAITING_USER_ACTION'] },
};

/** Where something is done: only a page that exists and that the user may open. */
export function useWays(): (todo: ToDo, scope: HomeScope) => Way | undefined {
  const open = useDestinations().map(({ to }) => to);
  const mayPost = useMayDo('SOCIAL_POST_WRITE');
  return ({ category, type, directoryType }, { businessIds }) => {
    const to = homes[category];
    if (!open.includes(to)) return undefined;
    if (category === 'SOCIAL_POSTS') return mayPost ? { to: '/posts/new', search: {} } : undefined;
    const narrowed = {
      ...(businessIds && { business: businessIds }),
      ...(directoryType && category === 'LISTINGS' && { directory: [directoryType] }),
    };
    return { to, search: { ...searches[type], ...narrowed } };
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
