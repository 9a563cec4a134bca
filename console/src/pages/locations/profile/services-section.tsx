import { NumberInput, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { ServiceItem } from '../../../api/api-types.ts';
import { t } from '../../../texts/t.ts';
import { ProfileSection } from './profile-section.tsx';
import { RowsField } from './rows-field.tsx';

const currencies = Intl.supportedValuesOf('currency');

/** Decimal digits: 2 for EUR, 0 for JPY. Prices are integers in the smallest unit. */
function digitsOf(currency: string): number {
  try {
    const { maximumFractionDigits } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
    return maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}

export function ServicesSection() {
  return (
    <ProfileSection id="services" text={t('locations.services.lead')}>
      <RowsField
        field="services"
        blank={(rows) => ({ title: '', currency: rows.at(-1)?.currency ?? 'EUR' })}
        addLabel={t('locations.services.add')}
        empty={t('locations.services.none')}
        rowName={({ title }, index) => title || t('locations.services.service', { number: index + 1 })}
        isOrdered
        render={(service, change, isLocked) => <Service service={service} change={change} isLocked={isLocked} />}
      />
    </ProfileSection>
  );
}

interface ServiceProps {
  service: ServiceItem;
  change: (part: Partial<ServiceItem>) => void;
  isLocked: boolean;
}

function Service({ service, change, isLocked }: ServiceProps) {
  const { title, description, price, currency } = service;
  const digits = digitsOf(currency ?? 'EUR');
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
        <TextInput
          label={t('locations.services.name')}
          value={title}
          onChange={(event) => change({ title: event.currentTarget.value })}
        />
        <SimpleGrid cols={2} spacing="xs">
          <NumberInput
            label={t('locations.services.price')}
            value={price === undefined ? '' : price / 10 ** digits}
            decimalScale={digits}
            fixedDecimalScale
            min={0}
            hideControls
            onChange={(typed) => change({ price: typed === '' ? undefined : Math.round(Number(typed) * 10 ** digits) })}
          />
          <Select
            label={t('locations.services.currency')}
            data={currencies}
            value={currency ?? null}
            onChange={(next) => change({ currency: next ?? undefined })}
            searchable
            disabled={isLocked}
          />
        </SimpleGrid>
      </SimpleGrid>
      <TextInput
        label={t('locations.services.description')}
        value={description ?? ''}
        onChange={(event) => change({ description: event.currentTarget.value || undefined })}
      />
    </Stack>
  );
}
