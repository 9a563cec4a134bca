import { Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Location } from '../../../api/api-types.ts';
import { t } from '../../../texts/t.ts';
import classes from './profile.module.css';
import { useDraft } from './profile-draft.ts';
import { ProfileSection } from './profile-section.tsx';
import { RowsField } from './rows-field.tsx';

type Photo = NonNullable<Location['photos']>[number];
type Video = NonNullable<Location['videos']>[number];

const photoTypes = ['MAIN', 'LOGO', 'PHOTO'] as const;

export function PhotosSection() {
  const { value, set } = useDraft();
  const photos = value('photos') ?? [];
  return (
    <ProfileSection id="photos" text={t('locations.photos.lead')}>
      <RowsField<Photo>
        field="photos"
        rows={photos}
        onChange={(next) => set('photos', next)}
        blank={() => ({ url: '', type: photos.some(({ type }) => type === 'MAIN') ? 'PHOTO' : 'MAIN' })}
        addLabel={t('locations.photos.add')}
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
      <RowsField<Video>
        field="videos"
        rows={value('videos') ?? []}
        onChange={(next) => set('videos', next)}
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
  if (!/^https?:\/\/./.test(url) || failed === url) return <div className={classes.photo} />;
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
