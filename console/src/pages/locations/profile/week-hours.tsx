import { Button, Fieldset, Menu, Text } from '@mantine/core';
import { Copy } from 'lucide-react';
import type { FieldProblem } from '../../../api/api-problem.ts';
import type { Location } from '../../../api/api-types.ts';
import { entryOf } from '../../../parts/field-problem-text.ts';
import { t } from '../../../texts/t.ts';
import { dayName, type Times } from '../value-text.ts';
import { DayHours } from './day-hours.tsx';
import { FieldFrame } from './field-frame.tsx';
import { FieldProblems } from './field-problems.tsx';
import { useFieldInput } from './fields.tsx';
import classes from './profile.module.css';
import { useDraft } from './profile-draft.ts';

type Week = NonNullable<Location['openingHours']>;

const weekdays = [1, 2, 3, 4, 5, 6, 7];

/** A day without hours is unspecified, not closed. */
export function WeekHours() {
  const { value, set, problemsOf } = useDraft();
  const { label, disabled } = useFieldInput('openingHours');
  const week = value('openingHours') ?? [];
  const problems = problemsOf('openingHours');
  const dayAt = (index: number | undefined) => (index === undefined ? undefined : week[index]?.dayOfWeek);
  const put = (days: readonly number[], times: Times | undefined) => {
    const others = week.filter(({ dayOfWeek }) => !days.includes(dayOfWeek));
    const added = times ? days.map((dayOfWeek) => ({ ...times, dayOfWeek })) : [];
    set('openingHours', [...others, ...added].sort((a, b) => a.dayOfWeek - b.dayOfWeek) as Week);
  };
  return (
    <FieldFrame field="openingHours">
      <Fieldset
        legend={label}
        variant="unstyled"
        classNames={{ root: classes.fieldset ?? '', legend: classes.legend ?? '' }}
      >
        {weekdays.map((day) => (
          <Day
            key={day}
            day={day}
            times={timesOf(week.find(({ dayOfWeek }) => dayOfWeek === day))}
            onChange={(times) => put([day], times)}
            onCopy={put}
            isLocked={disabled}
            problems={problems.filter((one) => dayAt(entryOf(one)) === day)}
          />
        ))}
      </Fieldset>
      <FieldProblems problems={problems.filter((one) => dayAt(entryOf(one)) === undefined).map(withDayNames)} />
    </FieldFrame>
  );
}

/** The API numbers the days. */
const withDayNames = (problem: FieldProblem): FieldProblem => ({
  ...problem,
  message: problem.message.replace(/\bday (\d)\b/gi, (_, day) => dayName(Number(day), true)),
});

function timesOf(day: Week[number] | undefined): Times | undefined {
  if (!day) return undefined;
  const { dayOfWeek: _, ...times } = day;
  return times;
}

interface DayProps {
  day: number;
  times: Times | undefined;
  onChange: (times: Times | undefined) => void;
  onCopy: (days: readonly number[], times: Times | undefined) => void;
  isLocked: boolean;
  problems: readonly FieldProblem[];
}

function Day({ day, times, onChange, onCopy, isLocked, problems }: DayProps) {
  const name = dayName(day, true);
  return (
    <div className={classes.day}>
      <Text size="sm" fw={550}>
        {name}
      </Text>
      <div className={classes.times}>
        <DayHours day={name} times={times} onChange={onChange} isLocked={isLocked} canBeUnknown />
      </div>
      {!isLocked && <CopyMenu day={day} onCopy={(days) => onCopy(days, times)} />}
      <div className={classes.dayProblems}>
        <FieldProblems problems={problems} entryName={() => name} />
      </div>
    </div>
  );
}

function CopyMenu({ day, onCopy }: { day: number; onCopy: (days: readonly number[]) => void }) {
  const name = dayName(day, true);
  const others = weekdays.filter((one) => one !== day);
  return (
    <Menu position="bottom-end" withinPortal closeOnItemClick>
      <Menu.Target>
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          leftSection={<Copy size={14} aria-hidden />}
          aria-label={t('locations.hours.copyFrom', { day: name })}
        >
          {t('locations.hours.copy')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('locations.hours.copyTo')}</Menu.Label>
        <Menu.Item onClick={() => onCopy(others)}>{t('locations.hours.allDays')}</Menu.Item>
        <Menu.Item onClick={() => onCopy(others.filter((one) => one <= 5))}>{t('locations.hours.workDays')}</Menu.Item>
        <Menu.Divider />
        {others.map((one) => (
          <Menu.Item key={one} onClick={() => onCopy([one])}>
            {dayName(one, true)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
