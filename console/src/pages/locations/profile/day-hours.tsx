import { Select } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../../texts/t.ts';
import type { Times } from '../value-text.ts';
import { DayTimes } from './day-times.tsx';

type State = 'open' | 'allDay' | 'closed' | 'unknown';

const initialTimes = {
  open: { from1: '09:00', to1: '18:00' },
  allDay: { from1: '00:00', to1: '24:00' },
  closed: { closed: true },
  unknown: undefined,
} satisfies Record<State, Times | undefined>;

function stateOf(times: Times | undefined): State {
  if (!times) return 'unknown';
  if (times.closed) return 'closed';
  const { from1, to1 } = initialTimes.allDay;
  return times.from1 === from1 && times.to1 === to1 && times.from2 === undefined ? 'allDay' : 'open';
}

interface Props {
  /** Day name for screen readers. */
  day: string;
  times: Times | undefined;
  onChange: (times: Times | undefined) => void;
  isLocked: boolean;
  canBeUnknown?: boolean;
}

export function DayHours({ day, times, onChange, isLocked, canBeUnknown = false }: Props) {
  // A half-typed time can be 00:00, as all day has. The inputs remain until the user selects a state.
  const [isTyping, setTyping] = useState(false);
  const state = stateOf(times);
  const put = (next: Times | undefined, isTyped: boolean) => {
    setTyping(isTyped);
    onChange(next);
  };
  const states: readonly State[] = ['open', 'allDay', 'closed', ...(canBeUnknown ? (['unknown'] as const) : [])];
  return (
    <>
      <Select
        aria-label={t('locations.hours.stateOf', { day })}
        data={states.map((value) => ({ value, label: t(`locations.hours.${value}`) }))}
        value={state}
        onChange={(next) => next && put(initialTimes[next as State], false)}
        disabled={isLocked}
        w="9.5rem"
      />
      {times && (state === 'open' || (state === 'allDay' && isTyping)) && (
        <DayTimes day={day} times={times} onChange={(next) => put(next, true)} isLocked={isLocked} />
      )}
    </>
  );
}
