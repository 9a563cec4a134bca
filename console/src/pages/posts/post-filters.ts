import { defineFilters, type FiltersOf, optionsOf } from '../../parts/filters.ts';
import { manyOf, text, texts } from '../../parts/search-params.ts';
import { locationFilter } from '../../parts/shared-filters.ts';
import { useDirectories } from '../../parts/use-directories.ts';
import { t } from '../../texts/t.ts';
import { postStatuses, postTypes } from './post-values.ts';

const flex = '1 1 8.5rem';

export const postFilters = defineFilters({
  query: { param: text, control: 'search', label: t('posts.search'), flex, isFirst: true, apiParameter: 'query' },
  status: {
    param: manyOf(postStatuses),
    control: 'choices',
    label: t('posts.status'),
    any: t('posts.allStatuses'),
    useOptions: () => optionsOf('posts.statuses', postStatuses),
    flex,
    apiParameter: 'status',
  },
  type: {
    param: manyOf(postTypes),
    control: 'choices',
    label: t('posts.type'),
    any: t('posts.allTypes'),
    useOptions: () => optionsOf('posts.types', postTypes),
    flex,
    apiParameter: 'type',
  },
  directory: {
    param: texts,
    control: 'choices',
    label: t('posts.directories'),
    any: t('posts.allDirectories'),
    useOptions: () =>
      useDirectories()
        .filter(({ supports }) => supports.socialPosts)
        .map(({ type, name }) => ({ value: type, label: name })),
    flex,
    apiParameter: 'directories',
  },
  location: { ...locationFilter, label: t('posts.locations'), flex },
} satisfies FiltersOf<'GET /api/social-posts'>);

export type PostFilter = ReturnType<typeof postFilters.query>;
