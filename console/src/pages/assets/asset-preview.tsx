import { Group, Stack, Text } from '@mantine/core';
import type { Asset } from '../../api/api-types.ts';
import { useDirectoryName } from '../../parts/use-directories.ts';
import { t } from '../../texts/t.ts';
import { AssetIcon } from './asset-tile.tsx';
import classes from './assets.module.css';

export function AssetPreview({ asset }: { asset: Asset }) {
  const { type, url, name, description, content } = asset;
  if (content) return <TemplateText content={content} />;
  return (
    <div className={classes.stage}>
      {type === 'IMAGE' && url ? (
        <img src={url} alt={description ?? name} />
      ) : type === 'VIDEO' && url ? (
        // biome-ignore lint/a11y/useMediaCaption: uploaded files have no separate captions
        <video src={url} controls preload="metadata" aria-label={name} />
      ) : (
        <Stack align="center" gap={4}>
          <AssetIcon type={type} size={40} />
          <Text size="sm">{t('assets.details.noPreview')}</Text>
        </Stack>
      )}
    </div>
  );
}

function TemplateText({ content }: { content: NonNullable<Asset['content']> }) {
  const nameOf = useDirectoryName();
  const { type, title, description, directories, photos } = content;
  return (
    <Stack gap={6} p="md" className={classes.template}>
      <Text size="xs" c="dimmed">
        {t(`posts.types.${type}`)} · {directories.map(nameOf).join(', ') || t('assets.template.none')}
      </Text>
      {title && <Text fw={600}>{title}</Text>}
      {description && (
        <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
          {description}
        </Text>
      )}
      <Group gap="xs">
        {photos.map(({ photo, description: text }) => (
          <img key={photo} src={photo} alt={text ?? ''} height={64} />
        ))}
      </Group>
    </Stack>
  );
}
