import { Paper, Stack, Text, Title } from '@mantine/core';
import { t } from '../../../texts/t.ts';
import { localDay, longDayText, monthOf } from './month.ts';
import { PostChip } from './post-chip.tsx';
import type { PostsByDay } from './posts-by-day.ts';

interface Props {
  month: string;
  days: readonly Date[];
  byDay: PostsByDay;
}

export function Agenda({ month, days, byDay }: Props) {
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
