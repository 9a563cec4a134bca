import { Button, MultiSelect, SegmentedControl, Stack } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { PenLine } from 'lucide-react';
import { useMayDo } from '../../api/session.ts';
import { FoldedFilters } from '../../parts/folded-filters.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { LocationsChoice } from '../../parts/searched-choice.tsx';
import { useDirectories } from '../../parts/use-directories.ts';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t } from '../../texts/t.ts';
import { PostCalendar } from './calendar/post-calendar.tsx';
import { PostList } from './post-list.tsx';
import { postStatuses, postTypes } from './post-values.ts';

const route = getRouteApi('/shell/posts');

const noFilters = { query: undefined, status: undefined, type: undefined, directory: undefined, location: undefined };

export function PostsPage() {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const { view = 'calendar', month, query, status, type, directory, location, order } = search;
  const mayWrite = useMayDo('SOCIAL_POST_WRITE');
  const able = useDirectories().filter(({ supports }) => supports.socialPosts);
  const filter = { query, status, type, directories: directory, locationIds: location };
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const someOf = <T,>(values: T[]) => (values.length > 0 ? values : undefined);
  return (
    <>
      <PageHeader
        title={t('posts.title')}
        text={t('posts.lead')}
        actions={
          mayWrite && (
            <Button component={Link} to="/posts/new" leftSection={<PenLine size={16} aria-hidden />}>
              {t('posts.write')}
            </Button>
          )
        }
      />
      <Stack gap="md">
        <FoldedFilters
          count={[status, type, directory, location].filter((value) => value !== undefined).length}
          first={
            <>
              <SegmentedControl
                aria-label={t('posts.views')}
                data={[
                  { value: 'calendar', label: t('posts.calendar') },
                  { value: 'list', label: t('posts.list') },
                ]}
                value={view}
                onChange={(value) => change({ view: value === 'list' ? 'list' : undefined })}
              />
              <SearchField
                label={t('posts.search')}
                value={query}
                onChange={(value) => change({ query: value })}
                flex="1 1 8.5rem"
              />
            </>
          }
        >
          <MultiSelect
            aria-label={t('posts.status')}
            placeholder={status ? undefined : t('posts.allStatuses')}
            data={postStatuses.map((value) => ({ value, label: t(`posts.statuses.${value}`) }))}
            value={status ?? []}
            onChange={(values) => change({ status: someOf(values) })}
            clearable
            flex="1 1 8.5rem"
          />
          <MultiSelect
            aria-label={t('posts.type')}
            placeholder={type ? undefined : t('posts.allTypes')}
            data={postTypes.map((value) => ({ value, label: t(`posts.types.${value}`) }))}
            value={type ?? []}
            onChange={(values) => change({ type: someOf(values) })}
            clearable
            flex="1 1 8.5rem"
          />
          <MultiSelect
            aria-label={t('posts.directories')}
            placeholder={directory ? undefined : t('posts.allDirectories')}
            data={able.map(({ type: value, name }) => ({ value, label: name }))}
            value={directory ?? []}
            onChange={(values) => change({ directory: someOf(values) })}
            clearable
            flex="1 1 8.5rem"
          />
          <LocationsChoice
            aria-label={t('posts.locations')}
            placeholder={t('posts.allLocations')}
            value={location}
            onChange={(ids) => change({ location: ids })}
            flex="1 1 8.5rem"
          />
        </FoldedFilters>
        {view === 'list' ? (
          <PostList
            filter={filter}
            order={order}
            onOrder={(value) => change({ order: value })}
            isFiltered={isFiltered}
            onClearFilters={() => change(noFilters)}
          />
        ) : (
          <PostCalendar filter={filter} month={month} onMonth={(value) => change({ month: value })} />
        )}
      </Stack>
    </>
  );
}
