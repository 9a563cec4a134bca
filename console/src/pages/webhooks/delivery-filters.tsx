import { Group, MultiSelect } from '@mantine/core';
import { PeriodFilter } from '../../parts/period-filter.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { t, textOrWords } from '../../texts/t.ts';
import type { DeliverySearch } from './delivery-search.ts';
import { deliveryStates } from './webhook-values.ts';

interface Props {
  search: DeliverySearch;
  change: (change: Partial<DeliverySearch>) => void;
}

export function DeliveryFilters({ search, change }: Props) {
  const { state, statusCode, eventId } = search;
  return (
    <Group gap="sm">
      <MultiSelect
        aria-label={t('webhook.deliveries.state')}
        placeholder={state ? undefined : t('webhook.deliveries.anyState')}
        data={deliveryStates.map((value) => ({ value, label: textOrWords('webhook.deliveries.states', value) }))}
        value={state ?? []}
        onChange={(values) => change({ state: values.length > 0 ? values : undefined })}
        clearable
        flex="1 1 12rem"
      />
      <NumberFilter
        label={t('webhook.deliveries.statusCode')}
        value={statusCode}
        onChange={(value) => change({ statusCode: value })}
      />
      <NumberFilter
        label={t('webhook.deliveries.eventIdFilter')}
        value={eventId}
        onChange={(value) => change({ eventId: value })}
      />
      <PeriodFilter search={search} change={change} />
    </Group>
  );
}

interface NumberFilterProps {
  label: string;
  value: number | undefined;
  onChange: (value: number | undefined) => void;
}

function NumberFilter({ label, value, onChange }: NumberFilterProps) {
  return (
    <SearchField
      label={label}
      inputMode="numeric"
      value={value === undefined ? undefined : String(value)}
      onChange={(typed) => onChange(typed && /^\d{1,15}$/.test(typed) ? Number(typed) : undefined)}
      flex="0 1 10rem"
    />
  );
}
