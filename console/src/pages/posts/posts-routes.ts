import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Megaphone } from 'lucide-react';
import { day, oneOf, searchParams, wholeNumber, wholeNumbers } from '../../parts/search-params.ts';
import { shellRoute } from '../../shell/shell-routes.tsx';
import { postFilters } from './post-filters.ts';

/** A month such as 2026-11. */
const month = (given: unknown) =>
  typeof given === 'string' && /^\d{4}-(0[1-9]|1[0-2])$/.test(given) ? given : undefined;

export const postsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/posts',
  component: lazyRouteComponent(() => import('./posts-page.tsx'), 'PostsPage'),
  validateSearch: searchParams({
    view: oneOf(['list']),
    month,
    ...postFilters.params,
    order: oneOf(['ASC']),
  }),
  staticData: { navigation: { label: 'posts.title', icon: Megaphone, order: 50 }, needs: 'SOCIAL_POST_READ' },
});

export const newPostRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/posts/new',
  component: lazyRouteComponent(() => import('./new-post-page.tsx'), 'NewPostPage'),
  validateSearch: searchParams({ date: day, template: wholeNumber, location: wholeNumbers }),
  staticData: { needs: 'SOCIAL_POST_WRITE' },
});

export const postRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/posts/$postId',
  component: lazyRouteComponent(() => import('./post-page.tsx'), 'PostPage'),
  staticData: { needs: 'SOCIAL_POST_READ' },
});
