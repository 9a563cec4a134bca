import { Group, TextInput } from '@mantine/core';
import type { Location } from '../../../api/api-types.ts';
import { dayText } from '../../../parts/time-text.ts';
import { t } from '../../../texts/t.ts';
import { DayTimes } from './day-times.tsx';
import { useDraft } from './profile-draft.ts';
import { RowsField } from './rows-field.tsx';
import { ClosedBox } from './week-hours.tsx';

type SpecialDay = NonNullable<Location['specialOpeningHours']>[number];

export function SpecialDays() {
  const { value, set } = useDraft();
  return (
    <RowsField<SpecialDay>
      field="specialOpeningHours"
      rows={value('specialOpeningHours') ?? []}
      onChange={(days) => set('specialOpeningHours', days)}
      blank={() => ({ date: '', closed: true })}
      addLabel={t('locations.hours.addSpecial')}
      empty={t('locations.hours.noSpecial')}
      rowName={nameOf}
      buttonsAt="start"
      render={(day, change, isLocked) => {
        const { date, closed = false, ...times } = day;
        return (
          <Group gap="sm">
            <TextInput
              type="date"
              aria-label={t('locations.hours.date')}
              value={date}
              disabled={isLocked}
              onChange={(event) => change({ date: event.currentTarget.value })}
            />
            <ClosedBox
              isClosed={closed}
              label={t('locations.hours.closedOn', { day: nameOf(day) })}
              onChange={(isClosed) =>
                change(
                  isClosed
                    ? { closed: true, from1: undefined, to1: undefined, from2: undefined, to2: undefined }
                    : { closed: undefined, from1: '09:00', to1: '13:00' },
                )
              }
            />
            {!closed && (
              <DayTimes
                day={nameOf(day)}
                times={times}
                isLocked={isLocked}
                onChange={(next) =>
                  change({ from1: undefined, to1: undefined, from2: undefined, to2: undefined, ...next })
                }
              />
            )}
          </Group>
        );
      }}
    />
  );
}

const nameOf = ({ date }: SpecialDay) => (date ? dayText(date) : t('locations.hours.newDay'));
