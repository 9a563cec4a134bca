import { ActionIcon, Button, Popover, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useHasPermission } from '../../../api/session.ts';
import { localDay } from '../../../parts/days.ts';
import { t, tn } from '../../../texts/t.ts';
import classes from './calendar.module.css';
import { longDayText, longWeekdayText, monthOf, monthText, weekdayText } from './month.ts';
import { PostChip } from './post-chip.tsx';
import type { PostsByDay } from './posts-by-day.ts';

interface Props {
  month: string;
  weeks: readonly (readonly Date[])[];
  byDay: PostsByDay;
}

const shown = 3;

export function MonthTable({ month, weeks, byDay }: Props) {
  const today = localDay(new Date());
  return (
    <table className={classes.month} aria-label={t('posts.calendarOf', { month: monthText(month) })}>
      <thead>
        <tr>
          {weeks[0]?.map((day) => (
            <th key={day.getDay()} scope="col">
              <abbr title={longWeekdayText(day)}>{weekdayText(day)}</abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={localDay(week[0] as Date)}>
            {week.map((day) => (
              <Day
                key={localDay(day)}
                day={day}
                isOutside={monthOf(day) !== month}
                isToday={localDay(day) === today}
                byDay={byDay}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface DayProps {
  day: Date;
  isOutside: boolean;
  isToday: boolean;
  byDay: PostsByDay;
}

function Day({ day, isOutside, isToday, byDay }: DayProps) {
  const mayWrite = useHasPermission('SOCIAL_POST_WRITE');
  const date = localDay(day);
  const posts = byDay.get(date) ?? [];
  const rest = posts.length - shown;
  return (
    <td className={classes.day} data-outside={isOutside || undefined} data-today={isToday || undefined}>
      <div className={classes.dayHead}>
        <Text component="time" dateTime={date} className={classes.number} aria-label={longDayText(day)}>
          {day.getDate()}
        </Text>
        {mayWrite && date >= localDay(new Date()) && (
          <ActionIcon
            component={Link}
            to="/posts/new"
            search={{ date } as never}
            size="sm"
            className={classes.add}
            aria-label={t('posts.writeOn', { day: longDayText(day) })}
          >
            <Plus size={14} aria-hidden />
          </ActionIcon>
        )}
      </div>
      <Stack gap={3}>
        {posts.slice(0, shown).map((post) => (
          <PostChip key={post.id} post={post} />
        ))}
        {rest > 0 && (
          <Popover position="bottom-start" withArrow trapFocus>
            <Popover.Target>
              <Button variant="subtle" size="compact-xs" color="gray">
                {tn('posts.more', rest)}
              </Button>
            </Popover.Target>
            <Popover.Dropdown maw={280}>
              <Stack gap={4}>
                {posts.map((post) => (
                  <PostChip key={post.id} post={post} />
                ))}
              </Stack>
            </Popover.Dropdown>
          </Popover>
        )}
      </Stack>
    </td>
  );
}
