import { Select, SimpleGrid, TextInput } from '@mantine/core';
import type { Location } from '../../../api/api-types.ts';
import { useDirectories } from '../../../parts/use-directories.ts';
import { inWords, t } from '../../../texts/t.ts';
import { TextField, WordsField } from './fields.tsx';
import { ProfileSection } from './profile-section.tsx';
import { RowsField } from './rows-field.tsx';

type Network = NonNullable<Location['socialProfiles']>[number]['type'];

const networks = {
  FACEBOOK: 'Facebook',
  INSTAGRAM: 'Instagram',
  LINKEDIN: 'LinkedIn',
  PINTEREST: 'Pinterest',
  SNAPCHAT: 'Snapchat',
  TIKTOK: 'TikTok',
  X: 'X',
  XING: 'XING',
  YOUTUBE: 'YouTube',
} as const satisfies Record<Network, string>;

const networkTypes = Object.keys(networks) as Network[];

export function ContactSection() {
  return (
    <ProfileSection id="contact" own={['phone', 'cellphone', 'fax', 'email', 'website']}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextField field="phone" type="tel" />
        <TextField field="cellphone" type="tel" />
        <TextField field="fax" type="tel" />
        <TextField field="email" type="email" />
      </SimpleGrid>
      <TextField field="website" type="url" />
      <SocialProfiles />
      <WebsiteAdditions />
      <WordsField field="callTrackingNumbers" description={t('locations.hints.callTrackingNumbers')} />
    </ProfileSection>
  );
}

function SocialProfiles() {
  return (
    <RowsField
      field="socialProfiles"
      blank={(rows) => ({
        type: networkTypes.find((type) => !rows.some((row) => row.type === type)) ?? 'FACEBOOK',
        url: '',
      })}
      addLabel={t('locations.rows.addProfile')}
      empty={t('locations.rows.noProfiles')}
      rowName={({ type }) => networks[type]}
      render={({ type, url }, change, isLocked) => (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs">
          <Select
            aria-label={t('locations.rows.network')}
            data={networkTypes.map((one) => ({ value: one, label: networks[one] }))}
            value={type}
            onChange={(next) => next && change({ type: next as Network })}
            disabled={isLocked}
          />
          <TextInput
            aria-label={t('locations.rows.addressOf', { name: networks[type] })}
            placeholder="https://"
            value={url}
            onChange={(event) => change({ url: event.currentTarget.value })}
          />
        </SimpleGrid>
      )}
    />
  );
}

function WebsiteAdditions() {
  const directories = useDirectories();
  return (
    <RowsField
      field="utms"
      blank={(rows) => ({
        type: directories.find(({ type }) => !rows.some((row) => row.type === type))?.type ?? 'GOOGLE',
        parameters: '',
      })}
      addLabel={t('locations.rows.addUtm')}
      empty={t('locations.rows.noUtms')}
      rowName={({ type }) => inWords(type)}
      render={({ type, parameters }, change, isLocked) => (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs">
          <Select
            aria-label={t('locations.rows.directory')}
            data={directories.map((one) => ({ value: one.type, label: one.name }))}
            value={type}
            onChange={(next) => next && change({ type: next })}
            disabled={isLocked}
          />
          <TextInput
            aria-label={t('locations.rows.parameters')}
            placeholder="utm_source=google&utm_medium=organic"
            value={parameters}
            onChange={(event) => change({ parameters: event.currentTarget.value })}
          />
        </SimpleGrid>
      )}
    />
  );
}
