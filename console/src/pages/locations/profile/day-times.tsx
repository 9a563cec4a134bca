import { ActionIcon, Button, Text, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { t } from '../../../texts/t.ts';
import type { Times } from '../value-text.ts';
import classes from './profile.module.css';

interface Props {
  /** Day name for screen readers. */
  day: string;
  times: Times;
  onChange: (times: Times) => void;
  isLocked: boolean;
}

/** A period that ends before it starts continues past midnight. */
const isOvernight = (from: string | undefined, to: string | undefined) =>
  Boolean(from && to && to < from && to !== '00:00');

/** Time inputs have no 24:00. */
const shownTime = (time: string | undefined) => (time === '24:00' ? '00:00' : (time ?? ''));

export function DayTimes({ day, times, onChange, isLocked }: Props) {
  const hasSecond = times.from2 !== undefined || times.to2 !== undefined;
  const time = (part: 'from1' | 'to1' | 'from2' | 'to2') => (
    <TextInput
      type="time"
      className={classes.time}
      aria-label={t(`locations.hours.${part}`, { day })}
      value={shownTime(times[part])}
      disabled={isLocked}
      onChange={({ currentTarget: { value } }) =>
        onChange({ ...times, [part]: part.startsWith('to') && value === '00:00' ? '24:00' : value })
      }
    />
  );
  const period = (number: 1 | 2) => (
    <span className={classes.period}>
      {time(`from${number}`)}
      <span aria-hidden>–</span>
      {time(`to${number}`)}
    </span>
  );
  return (
    <div className={classes.times}>
      {period(1)}
      {hasSecond && (
        <>
          {period(2)}
          {!isLocked && (
            <ActionIcon
              aria-label={t('locations.hours.removeSecond', { day })}
              onClick={() => onChange({ from1: times.from1, to1: times.to1 })}
            >
              <X size={16} aria-hidden />
            </ActionIcon>
          )}
        </>
      )}
      {!hasSecond && !isLocked && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          leftSection={<Plus size={14} aria-hidden />}
          aria-label={t('locations.hours.addSecondTo', { day })}
          onClick={() => onChange({ ...times, from2: '', to2: '' })}
        >
          {t('locations.hours.addSecond')}
        </Button>
      )}
      {(isOvernight(times.from1, times.to1) || isOvernight(times.from2, times.to2)) && (
        <Text size="xs" c="dimmed">
          {t('locations.hours.overnight')}
        </Text>
      )}
    </div>
  );
}
