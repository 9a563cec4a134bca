import { Button, Center, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { ImagePlus } from 'lucide-react';
import { useState } from 'react';
import type { Location } from '../../../api/api-types.ts';
import { useHasPermission } from '../../../api/session.ts';
import { AssetPicker } from '../../../parts/asset-picker.tsx';
import { t } from '../../../texts/t.ts';
import classes from './profile.module.css';
import { useDraft } from './profile-draft.ts';
import { ProfileSection } from './profile-section.tsx';
import { RowsField } from './rows-field.tsx';

type Photo = NonNullable<Location['photos']>[number];

const photoTypes = ['MAIN', 'LOGO', 'PHOTO'] as const;

export function PhotosSection() {
  const { value, set } = useDraft();
  const [isPicking, setPicking] = useState(false);
  const maySeeAssets = useHasPermission('ASSET_READ');
  const photos = value('photos') ?? [];
  const blank = (): Photo => ({ url: '', type: photos.some(({ type }) => type === 'MAIN') ? 'PHOTO' : 'MAIN' });
  return (
    <ProfileSection id="photos" text={t('locations.photos.lead')}>
      <RowsField
        field="photos"
        blank={blank}
        addLabel={t('locations.photos.add')}
        actions={
          maySeeAssets && (
            <Button
              variant="light"
              size="compact-sm"
              leftSection={<ImagePlus size={14} aria-hidden />}
              onClick={() => setPicking(true)}
            >
              {t('locations.photos.fromAssets')}
            </Button>
          )
        }
        empty={t('locations.photos.none')}
        rowName={(_, index) => t('locations.photos.photo', { number: index + 1 })}
        isOrdered
        render={({ url, type = 'PHOTO', description }, change, isLocked) => (
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="xs">
            <Picture url={url} description={description ?? ''} />
            <Stack gap="xs">
              <TextInput
                label={t('locations.photos.url')}
                placeholder="https://"
                value={url}
                onChange={(event) => change({ url: event.currentTarget.value })}
              />
              <Select
                label={t('locations.photos.type')}
                data={photoTypes.map((one) => ({ value: one, label: t(`locations.photos.types.${one}`) }))}
                value={type}
                onChange={(next) => next && change({ type: next as Photo['type'] })}
                disabled={isLocked}
              />
              <TextInput
                label={t('locations.photos.description')}
                value={description ?? ''}
                onChange={(event) => change({ description: event.currentTarget.value || undefined })}
              />
            </Stack>
          </SimpleGrid>
        )}
      />
      <AssetPicker
        isOpen={isPicking}
        onPick={({ url, description }) => {
          if (url) set('photos', [...photos, { ...blank(), url, ...(description && { description }) }]);
          setPicking(false);
        }}
        onClose={() => setPicking(false)}
      />
      <RowsField
        field="videos"
        blank={() => ({ url: '' })}
        addLabel={t('locations.photos.addVideo')}
        empty={t('locations.photos.noVideos')}
        rowName={(_, index) => t('locations.photos.video', { number: index + 1 })}
        isOrdered
        render={({ url }, change) => (
          <TextInput
            aria-label={t('locations.photos.videoUrl')}
            placeholder="https://"
            value={url}
            onChange={(event) => change({ url: event.currentTarget.value })}
          />
        )}
      />
    </ProfileSection>
  );
}

function Picture({ url, description }: { url: string; description: string }) {
  const [failed, setFailed] = useState('');
  if (!/^https?:\/\/./.test(url)) return <div className={classes.photo} />;
  if (failed === url) {
    return (
      <Center className={classes.photo} display="flex" p="sm">
        <Text size="sm" c="dimmed" ta="center">
          {t('locations.photos.notLoaded')}
        </Text>
      </Center>
    );
  }
  return (
    <img
      src={url}
      alt={description}
      className={classes.photo}
      loading="lazy"
      referrerPolicy="no-referrer"
      onError={() => setFailed(url)}
    />
  );
}
