import { ActionIcon, Alert, Button, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useApi } from '../../../api/use-api.ts';
import { localDay } from '../../../parts/days.ts';
import { numberText } from '../../../parts/number-text.ts';
import { TryAgain } from '../../../parts/try-again.tsx';
import { t } from '../../../texts/t.ts';
import type { PostFilter } from '../post-filters.ts';
import { longDayText, monthAfter, monthOf, monthText, weeksOf } from './month.ts';
import { MonthTable } from './month-table.tsx';
import { PostChip } from './post-chip.tsx';
import { type PostsByDay, postsByDay } from './posts-by-day.ts';

const most = 500;

interface Props {
  filter: PostFilter;
  month: string | undefined;
  onMonth: (month: string | undefined) => void;
}

export function PostCalendar({ filter, month = monthOf(new Date()), onMonth }: Props) {
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const weeks = weeksOf(month);
  const days = weeks.flat();
  const from = days[0] as Date;
  const last = days.at(-1) as Date;
  const to = new Date(last.getFullYear(), last.getMonth(), last.getDate() + 1);
  const found = useApi(
    'GET /api/social-posts',
    { query: { ...filter, from: from.toISOString(), to: to.toISOString(), max: most } },
    { keepPrevious: true, refetchInterval: 30_000 },
  );
  const byDay = postsByDay(found.data?.socialPosts ?? []);
  const isNow = month === monthOf(new Date());
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} aria-live="polite">
          {monthText(month)}
        </Title>
        <Group gap={4}>
          {!isNow && (
            <Button variant="subtle" size="compact-sm" onClick={() => onMonth(undefined)}>
              {t('posts.thisMonth')}
            </Button>
          )}
          <ActionIcon
            variant="default"
            aria-label={t('posts.previousMonth')}
            onClick={() => onMonth(monthAfter(month, -1))}
          >
            <ChevronLeft size={16} aria-hidden />
          </ActionIcon>
          <ActionIcon variant="default" aria-label={t('posts.nextMonth')} onClick={() => onMonth(monthAfter(month, 1))}>
            <ChevronRight size={16} aria-hidden />
          </ActionIcon>
        </Group>
      </Group>
      {found.data && found.data.count > most && (
        <Alert color="orange">{t('posts.tooMany', { count: numberText(most) })}</Alert>
      )}
      {found.error && !found.data ? (
        <TryAgain error={found.error} onRetry={found.refetch} />
      ) : !found.data || (isNarrow && found.isPlaceholderData) ? (
        <Skeleton height={480} />
      ) : isNarrow ? (
        <Agenda month={month} days={days} byDay={byDay} />
      ) : (
        <MonthTable month={month} weeks={weeks} byDay={byDay} />
      )}
    </Stack>
  );
}

interface AgendaProps {
  month: string;
  days: readonly Date[];
  byDay: PostsByDay;
}

function Agenda({ month, days, byDay }: AgendaProps) {
  const busy = days.filter((day) => monthOf(day) === month && byDay.has(localDay(day)));
  if (busy.length === 0) {
    return (
      <Paper withBorder p="xl">
        <Text c="dimmed" ta="center">
          {t('posts.noneInMonth')}
        </Text>
      </Paper>
    );
  }
  return (
    <Stack gap="sm">
      {busy.map((day) => (
        <Paper key={localDay(day)} withBorder p="sm">
          <Title order={3} mb={6}>
            {longDayText(day)}
          </Title>
          <Stack gap={4}>
            {byDay.get(localDay(day))?.map((post) => (
              <PostChip key={post.id} post={post} />
            ))}
          </Stack>
        </Paper>
      ))}
    </Stack>
  );
}
