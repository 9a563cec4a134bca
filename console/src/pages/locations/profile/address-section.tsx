import { SimpleGrid } from '@mantine/core';
import { t } from '../../../texts/t.ts';
import { countryOptions } from '../countries.ts';
import { ChoiceField, NumberField, SwitchField, TextField } from './fields.tsx';
import { ProfileSection } from './profile-section.tsx';

const timeZones = Intl.supportedValuesOf('timeZone').map((zone) => ({
  value: zone,
  label: zone.replaceAll('_', ' '),
}));

const own = ['street', 'streetNo', 'addressExtra', 'zip', 'city', 'province', 'country', 'timeZone'] as const;

export function AddressSection() {
  return (
    <ProfileSection id="address" own={own}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextField field="street" required />
        <TextField field="streetNo" />
        <TextField field="addressExtra" description={t('locations.hints.addressExtra')} />
        <TextField field="zip" />
        <TextField field="city" required />
        <TextField field="province" />
        <ChoiceField field="country" data={countryOptions()} isRequired />
        <ChoiceField field="timeZone" data={timeZones} isClearable />
        <NumberField field="lat" />
        <NumberField field="lng" />
      </SimpleGrid>
      <SwitchField field="addressDisplay" description={t('locations.hints.addressDisplay')} />
    </ProfileSection>
  );
}
