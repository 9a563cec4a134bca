import { Group, MultiSelect, Select, TextInput } from '@mantine/core';
import { SearchField } from '../../parts/search-field.tsx';
import { t, textOrWords } from '../../texts/t.ts';
import type { DeliverySearch } from './delivery-search.ts';
import { deliveryStates, periods } from './webhook-values.ts';

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

export function PeriodFilter({ search, change }: { search: PeriodSearch; change: (change: PeriodSearch) => void }) {
  const { period, since, until } = search;
  return (
    <>
      <Select
        aria-label={t('webhook.deliveries.period')}
        data={['any', ...periods].map((value) => ({ value, label: textOrWords('webhook.deliveries.periods', value) }))}
        value={period ?? 'any'}
        onChange={(value) =>
          change({ period: periods.find((known) => known === value), since: undefined, until: undefined })
        }
        flex="0 1 11rem"
      />
      {period === 'own' && (
        <>
          <MomentInput
            label={t('webhook.deliveries.from')}
            value={since}
            onChange={(value) => change({ since: value })}
          />
          <MomentInput
            label={t('webhook.deliveries.to')}
            value={until}
            onChange={(value) => change({ until: value })}
          />
        </>
      )}
    </>
  );
}

type PeriodSearch = Pick<DeliverySearch, 'period' | 'since' | 'until'>;

interface MomentProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

function MomentInput({ label, value, onChange }: MomentProps) {
  return (
    <TextInput
      type="datetime-local"
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
      flex="0 1 13rem"
    />
  );
}
