import { ActionIcon, Button, Group, Image, Input, Stack, TextInput } from '@mantine/core';
import { ImagePlus, Link2, X } from 'lucide-react';
import { useState } from 'react';
import { useHasPermission } from '../../../api/session.ts';
import { AssetPicker } from '../../../parts/asset-picker.tsx';
import { Section } from '../../../parts/section.tsx';
import { t } from '../../../texts/t.ts';
import type { PostForm } from './post-form.ts';

const most = 10;

export function PhotosSection({ form }: { form: PostForm }) {
  const { photos } = form.values;
  const [isPicking, setPicking] = useState(false);
  const maySeeAssets = useHasPermission('ASSET_READ');
  const add = (photo: string, description = '') => form.insertListItem('photos', { photo, description });
  const isFull = photos.length >= most;
  return (
    <>
      <Section
        title={t('posts.compose.photos')}
        {...(photos.length === 0 && { text: t('posts.compose.noPhotos') })}
        actions={
          <Group gap="xs">
            {maySeeAssets && (
              <Button
                variant="light"
                size="compact-sm"
                disabled={isFull}
                leftSection={<ImagePlus size={16} aria-hidden />}
                onClick={() => setPicking(true)}
              >
                {t('posts.compose.addAsset')}
              </Button>
            )}
            <Button
              variant="default"
              size="compact-sm"
              disabled={isFull}
              leftSection={<Link2 size={16} aria-hidden />}
              onClick={() => add('')}
            >
              {t('posts.compose.addUrl')}
            </Button>
          </Group>
        }
      >
        {(photos.length > 0 || form.errors.photos) && (
          <Stack>
            {photos.map(({ photo }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: photos have no id and keep their order
              <Group key={index} align="start" wrap="nowrap" gap="sm">
                <Image
                  src={photo || null}
                  alt=""
                  w={72}
                  h={72}
                  radius="md"
                  fit="cover"
                  fallbackSrc="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"
                  bg="var(--mantine-color-default-hover)"
                />
                <Stack gap={6} flex={1}>
                  <TextInput
                    aria-label={t('posts.compose.photoUrl')}
                    placeholder={t('posts.compose.photoUrl')}
                    {...form.getInputProps(`photos.${index}.photo`)}
                  />
                  <TextInput
                    aria-label={t('posts.compose.photoText')}
                    placeholder={t('posts.compose.photoText')}
                    maxLength={255}
                    {...form.getInputProps(`photos.${index}.description`)}
                  />
                </Stack>
                <ActionIcon
                  aria-label={t('posts.compose.removePhoto', { number: index + 1 })}
                  onClick={() => form.removeListItem('photos', index)}
                >
                  <X size={16} aria-hidden />
                </ActionIcon>
              </Group>
            ))}
            {form.errors.photos && <Input.Wrapper error={form.errors.photos} />}
          </Stack>
        )}
      </Section>
      <AssetPicker
        isOpen={isPicking}
        onPick={({ url, description, name }) => {
          if (url) add(url, description ?? name);
          setPicking(false);
        }}
        onClose={() => setPicking(false)}
      />
    </>
  );
}
