import { Select, TextInput } from '@mantine/core';
import { t, textOrWords } from '../texts/t.ts';
import { type PeriodSearch, periods } from './periods.ts';

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
