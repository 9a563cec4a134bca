import { Button, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { daysAfter, today } from '../../parts/days.ts';
import { FilterControls } from '../../parts/filter-controls.tsx';
import { FoldedFilters } from '../../parts/folded-filters.tsx';
import { t, tn } from '../../texts/t.ts';
import { type DashboardSearch, dashboardFilters, type Group as Grouping, groups, presets } from './dashboard-query.ts';

interface Props {
  search: DashboardSearch;
  onChange: (change: DashboardSearch) => void;
}

export function DashboardFilters({ search, onChange }: Props) {
  const count = dashboardFilters.count(search);
  return (
    <FoldedFilters first={<PeriodChoice search={search} onChange={onChange} />} count={count}>
      <GroupChoice search={search} onChange={onChange} />
      <FilterControls filters={dashboardFilters} search={search} onChange={onChange} />
      {count > 0 && (
        <Button variant="subtle" color="gray" onClick={() => onChange(dashboardFilters.none)}>
          {t('parts.list.clearFilters')}
        </Button>
      )}
    </FoldedFilters>
  );
}

function PeriodChoice({ search, onChange }: Props) {
  const { days = 30, start, end } = search;
  const isCustom = start !== undefined || end !== undefined;
  const changePeriod = (value: string) => {
    const preset = presets.find((one) => String(one) === value);
    if (preset) return onChange({ days: preset, start: undefined, end: undefined });
    const yesterday = daysAfter(today(), -1);
    return onChange({ days: undefined, start: daysAfter(yesterday, 1 - days), end: yesterday });
  };
  return (
    <>
      <Select
        aria-label={t('dashboard.period')}
        data={[
          ...presets.map((preset) => ({
            value: String(preset),
            label: preset === 365 ? t('dashboard.lastYear') : tn('dashboard.lastDays', preset),
          })),
          { value: 'custom', label: t('dashboard.custom') },
        ]}
        value={isCustom ? 'custom' : String(days)}
        onChange={(value) => value && changePeriod(value)}
        flex="0 1 9rem"
      />
      {isCustom && (
        <>
          <DayField label={t('dashboard.from')} value={start} onChange={(day) => onChange({ start: day })} />
          <DayField label={t('dashboard.to')} value={end} onChange={(day) => onChange({ end: day })} />
        </>
      )}
    </>
  );
}

interface DayFieldProps {
  label: string;
  value: string | undefined;
  onChange: (day: string) => void;
}

/** Reports complete dates only. */
function DayField({ label, value = '', onChange }: DayFieldProps) {
  const [known, setKnown] = useState(value);
  const [typed, setTyped] = useState(value);
  if (value !== known) {
    setKnown(value);
    setTyped(value);
  }
  const change = (day: string) => {
    setTyped(day);
    // Browsers report an incomplete date as '', a year after its first digit as 0002, and years up to 275760.
    if (/^[1-9]\d{3}-/.test(day)) onChange(day);
  };
  return (
    <TextInput
      type="date"
      max="9999-12-31"
      aria-label={label}
      value={typed}
      onChange={(event) => change(event.currentTarget.value)}
      onBlur={() => setTyped(value)}
    />
  );
}

function GroupChoice({ search: { group }, onChange }: Props) {
  return (
    <Select
      aria-label={t('dashboard.group')}
      data={[
        { value: 'auto', label: t('dashboard.groupAuto') },
        ...groups.map((value) => ({ value, label: t(`dashboard.groups.${value}`) })),
      ]}
      value={group ?? 'auto'}
      onChange={(value) => onChange({ group: value === 'auto' || !value ? undefined : (value as Grouping) })}
      flex="0 1 11.5rem"
    />
  );
}
