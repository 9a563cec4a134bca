import { Button, SegmentedControl, Stack } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { PenLine } from 'lucide-react';
import { useHasPermission } from '../../api/session.ts';
import { FilterRow } from '../../parts/filter-controls.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t } from '../../texts/t.ts';
import { PostCalendar } from './calendar/post-calendar.tsx';
import { postFilters } from './post-filters.ts';
import { PostList } from './post-list.tsx';

const route = getRouteApi('/shell/posts');

export function PostsPage() {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const { view = 'calendar', month, order } = search;
  const mayWrite = useHasPermission('SOCIAL_POST_WRITE');
  const filter = postFilters.query(search);
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
        <FilterRow
          filters={postFilters}
          search={search}
          onChange={change}
          before={
            <SegmentedControl
              aria-label={t('posts.views')}
              data={[
                { value: 'calendar', label: t('posts.calendar') },
                { value: 'list', label: t('posts.list') },
              ]}
              value={view}
              onChange={(value) => change({ view: value === 'list' ? 'list' : undefined })}
            />
          }
        />
        {view === 'list' ? (
          <PostList
            filter={filter}
            order={order}
            onOrder={(value) => change({ order: value })}
            isFiltered={postFilters.isFiltered(search)}
            onClearFilters={() => change(postFilters.none)}
          />
        ) : (
          <PostCalendar filter={filter} month={month} onMonth={(value) => change({ month: value })} />
        )}
      </Stack>
    </>
  );
}
