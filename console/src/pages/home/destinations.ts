import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ApiProblem } from '../../api/api-problem.ts';
import { callWith } from '../../api/call.ts';
import { useHasPermission } from '../../api/session.ts';
import { notifyProblem } from '../../parts/notify.tsx';
import { type Destination, useMainPages } from '../../shell/navigation.ts';
import type { HomeScope } from './home-values.ts';
import type { ToDo, ToDoKind } from './to-do.ts';

export interface TaskLink {
  /** Text of the link. */
  go: ToDo['category'] | 'SYNC';
  to: string;
  search: Record<string, unknown>;
}

const homes: Record<ToDo['category'], string> = {
  LOCATIONS: '/locations',
  LISTINGS: '/listings',
  INBOX: '/inbox',
  SOCIAL_POSTS: '/posts',
};

/** Tasks that are completed on the page of another category. */
const otherCategories: Record<string, ToDo['category']> = {
  LISTING_FIELDS_MISSING: 'LOCATIONS',
};

const searches: Record<string, Record<string, unknown>> = {
  DATAPOINT_UNREAD: { isRead: false },
  DATAPOINT_UNREPLIED: { hasReply: false, type: ['REVIEW', 'CONVERSATION', 'COMMENT', 'QUESTION'] },
  ANSWER_MORE_REVIEWS: { hasReply: false, type: ['REVIEW'] },
  ANSWER_REVIEWS_FASTER: { hasReply: false, type: ['REVIEW'] },
  LOOK_INTO_LOW_RATINGS: { rating: [1, 2] },
  LISTING_CONNECTION_MISSING: { connect: ['NOT_CONNECTED'] },
};

/** Maximum ids in a URL. More locations are listed in the drawer, or synced with all others. */
const mostLocations = 500;

/** Opens a list with exactly these locations. */
export function useOpenList(kind: ToDoKind, todo: ToDo, scope: HomeScope, onShowLocations: () => void) {
  const navigate = useNavigate();
  const [isBusy, setBusy] = useState(false);
  const open = async ({ go, to, search }: TaskLink) => {
    if (todo.locationsCount > mostLocations) {
      if (go !== 'SYNC') return onShowLocations();
      return navigate({ to, search: { ...search, business: scope.businessIds } as never });
    }
    setBusy(true);
    try {
      const query = { ...scope, type: todo.type as never, includeDismissed: true, size: mostLocations };
      const { locationIds } = await callWith(`GET /api/home/${kind}/locations`, { query }, {});
      await navigate({ to, search: { ...search, location: locationIds } as never });
    } catch (error) {
      notifyProblem(error as ApiProblem);
    } finally {
      setBusy(false);
    }
  };
  return { open, isBusy };
}

/** Only pages that exist and that the user may open. */
export function useLinks(): (todo: ToDo) => TaskLink | undefined {
  const open = useDestinations().map(({ to }) => to);
  const mayPost = useHasPermission('SOCIAL_POST_WRITE');
  const maySync = useHasPermission('LOCATION_WRITE');
  return ({ type, directoryType, ...todo }) => {
    if (type === 'LOCATION_START_FIRST_SYNC' && maySync && open.includes('/listings')) {
      return { go: 'SYNC', to: '/listings', search: { open: 'sync' } };
    }
    const category = otherCategories[type] ?? todo.category;
    const to = homes[category];
    if (!open.includes(to)) return undefined;
    if (category === 'SOCIAL_POSTS') return mayPost ? { go: category, to: '/posts/new', search: {} } : undefined;
    const narrowed = directoryType && category === 'LISTINGS' ? { directory: [directoryType] } : {};
    return { go: category, to, search: { ...searches[type], ...narrowed } };
  };
}

export function useLocationLink(): ((id: number) => string) | undefined {
  const open = useDestinations();
  return open.some(({ to }) => to === '/locations') ? (id) => `/locations/${id}` : undefined;
}

/** All pages that the user may open, except this one. */
export const useDestinations = (): Destination[] => useMainPages().filter(({ to }) => to !== '/');
