import { Group, TextInput } from '@mantine/core';
import type { Location } from '../../../api/api-types.ts';
import { dayText } from '../../../parts/time-text.ts';
import { t } from '../../../texts/t.ts';
import type { Times } from '../value-text.ts';
import { DayHours } from './day-hours.tsx';
import { RowsField } from './rows-field.tsx';

type SpecialDay = NonNullable<Location['specialOpeningHours']>[number];

const noTimes = { closed: undefined, from1: undefined, to1: undefined, from2: undefined, to2: undefined };

export function SpecialDays() {
  return (
    <RowsField
      field="specialOpeningHours"
      blank={() => ({ date: '', closed: true })}
      addLabel={t('locations.hours.addSpecial')}
      empty={t('locations.hours.noSpecial')}
      rowName={nameOf}
      buttonsAt="start"
      render={(day, change, isLocked) => {
        const { date, ...times } = day;
        const put = (next: Times | undefined) => change({ ...noTimes, ...next });
        return (
          <Group gap="sm">
            <TextInput
              type="date"
              aria-label={t('locations.hours.date')}
              value={date}
              disabled={isLocked}
              onChange={(event) => change({ date: event.currentTarget.value })}
            />
            <DayHours day={nameOf(day)} times={times} onChange={put} isLocked={isLocked} />
          </Group>
        );
      }}
    />
  );
}

const nameOf = ({ date }: SpecialDay) => (date ? dayText(date) : t('locations.hours.newDay'));
