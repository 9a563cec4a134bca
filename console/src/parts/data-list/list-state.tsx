import { Button, EmptyState, Paper, Skeleton, Stack, VisuallyHidden } from '@mantine/core';
import { Inbox, Lock, SearchX, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../../texts/t.ts';
import { TryAgain } from '../try-again.tsx';
import type { Emptiness, Source } from './column.ts';
import type { DataListProps } from './data-list-props.ts';

type Shown = 'source' | 'empty' | 'isFiltered' | 'isSearch' | 'onClearFilters' | 'paging';

interface Props<Row> extends Pick<DataListProps<Row>, Shown> {
  isNarrow: boolean;
}

/** Loading, error, no-permission, past-the-end and empty states. */
export function ListState<Row>(props: Props<Row>) {
  const { source, empty, isFiltered, onClearFilters, paging, isNarrow } = props;
  const { error } = source;
  if (source.isPending) return <Loading height={isNarrow ? 110 : 40} />;
  if (error?.isForbidden) {
    return <State icon={<Lock aria-hidden />} title={t('errors.forbidden')} text={error.message} />;
  }
  if (error) {
    return (
      <State icon={<TriangleAlert aria-hidden />} title={t('parts.list.error')} text={error.message} isAlert>
        <Button variant="light" onClick={() => void source.refetch()}>
          {t('parts.list.retry')}
        </Button>
      </State>
    );
  }
  if (paging && paging.offset > 0 && (source.count ?? 0) > 0) {
    return (
      <State icon={<SearchX aria-hidden />} title={t('parts.list.pastEnd')} text={t('parts.list.pastEndText')}>
        <Button variant="light" onClick={() => paging.onChange(0)}>
          {t('parts.list.firstPage')}
        </Button>
      </State>
    );
  }
  if (isFiltered) {
    return (
      <State
        icon={<SearchX aria-hidden />}
        title={t('parts.list.nothingFound')}
        {...(props.isSearch && source.countIsExact === false && { text: t('parts.list.searchCut') })}
      >
        {onClearFilters && (
          <Button variant="light" onClick={onClearFilters}>
            {t('parts.list.clearFilters')}
          </Button>
        )}
      </State>
    );
  }
  return <EmptyList {...empty} />;
}

/** The error of a failed reload. The rows stay visible. */
export function ReloadError<Row>({ source: { error, hasLoadMoreError, refetch } }: { source: Source<Row> }) {
  return error && !hasLoadMoreError ? <TryAgain error={error} onRetry={refetch} /> : null;
}

export function EmptyList({ icon = <Inbox aria-hidden />, title, text, action }: Emptiness) {
  return (
    <State icon={icon} title={title} text={text}>
      {action}
    </State>
  );
}

function Loading({ height }: { height: number }) {
  return (
    <Paper withBorder p="md" role="status">
      <VisuallyHidden>{t('parts.list.loading')}</VisuallyHidden>
      <Stack gap="sm">
        {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
          <Skeleton key={key} height={height} />
        ))}
      </Stack>
    </Paper>
  );
}

interface StateProps {
  icon: ReactNode;
  title: string;
  text?: string | undefined;
  isAlert?: boolean;
  children?: ReactNode;
}

function State({ icon, title, text, isAlert, children }: StateProps) {
  return (
    <Paper withBorder p="xl" role={isAlert ? 'alert' : 'status'}>
      <EmptyState icon={icon} variant="light" title={title} description={text} py="lg">
        {children && <EmptyState.Actions>{children}</EmptyState.Actions>}
      </EmptyState>
    </Paper>
  );
}
