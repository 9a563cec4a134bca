import { Button, Divider, Group, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Download, PenLine, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Asset } from '../../api/api-types.ts';
import { useHasPermission } from '../../api/session.ts';
import { useApi, useApiWrite } from '../../api/use-api.ts';
import { CopyField } from '../../parts/copy-field.tsx';
import { Facts } from '../../parts/facts.tsx';
import { FormDrawer } from '../../parts/form-drawer.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { bytesText } from '../../parts/number-text.ts';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { TryAgain } from '../../parts/try-again.tsx';
import { useDirectoryName } from '../../parts/use-directories.ts';
import { t } from '../../texts/t.ts';
import { actorText } from '../audit/audit-filters.ts';
import { AssetForm } from './asset-form.tsx';
import { AssetIcon } from './asset-tile.tsx';
import classes from './assets.module.css';
import { DeleteDialog } from './delete-dialog.tsx';

interface Props {
  id: number | undefined;
  mayWrite: boolean;
  onClose: () => void;
}

export function AssetDrawer({ id, mayWrite, onClose }: Props) {
  const query = useApi('GET /api/dam/assets/{id}', { path: { id: id ?? 0 } }, { enabled: id !== undefined });
  const asset = id === undefined ? undefined : query.data;
  return (
    <FormDrawer
      opened={id !== undefined}
      onClose={onClose}
      param="asset"
      title={asset?.name ?? t('assets.details.title')}
    >
      {() =>
        asset ? (
          <Details key={asset.id} asset={asset} mayWrite={mayWrite} onClose={onClose} />
        ) : query.error && id !== undefined ? (
          <TryAgain error={query.error} onRetry={query.refetch} />
        ) : (
          <Skeleton height={400} />
        )
      }
    </FormDrawer>
  );
}

function Details({ asset, mayWrite, onClose }: { asset: Asset; mayWrite: boolean; onClose: () => void }) {
  return (
    <Stack>
      <AssetPreview asset={asset} />
      <Actions asset={asset} mayWrite={mayWrite} onClose={onClose} />
      <AssetFacts asset={asset} />
      {asset.url && (
        <div>
          <CopyField label={t('assets.details.publicUrl')} value={asset.url} />
          <Text size="xs" c="dimmed" mt={4}>
            {t('assets.details.publicUrlHint')}
          </Text>
        </div>
      )}
      {mayWrite && (
        <>
          <Divider />
          <AssetForm asset={asset} />
        </>
      )}
    </Stack>
  );
}

function Actions({ asset, mayWrite, onClose }: { asset: Asset; mayWrite: boolean; onClose: () => void }) {
  const { id, name, url, type } = asset;
  const [isDeleteOpen, setDeleteOpen] = useState(false);
  const mayPost = useHasPermission('SOCIAL_POST_WRITE');
  const remove = useApiWrite('DELETE /api/dam/assets/{id}', {
    changes: ['GET /api/dam/assets', 'GET /api/dam/folders'],
  });
  return (
    <Group gap="xs">
      {url && (
        <Button
          component="a"
          href={`${url}?download=true`}
          download
          variant="light"
          leftSection={<Download size={16} aria-hidden />}
        >
          {t('assets.details.download')}
        </Button>
      )}
      {type === 'SOCIAL_POST_TEMPLATE' && mayPost && (
        <Button
          component={Link}
          to="/posts/new"
          search={{ template: id } as never}
          variant="light"
          leftSection={<PenLine size={16} aria-hidden />}
        >
          {t('assets.details.writePost')}
        </Button>
      )}
      {mayWrite && (
        <Button
          variant="subtle"
          color="red"
          leftSection={<Trash2 size={16} aria-hidden />}
          onClick={() => setDeleteOpen(true)}
        >
          {t('assets.details.delete')}
        </Button>
      )}
      <DeleteDialog
        isOpen={isDeleteOpen}
        title={t('assets.details.deleteTitle', { name })}
        losses={[t('assets.details.deleteLosses.file'), t('assets.details.deleteLosses.uses')]}
        label={t('assets.details.delete')}
        onDelete={async (force) => {
          await remove.mutateAsync({ path: { id }, query: { force } });
          notifyDone(t('assets.details.deleted', { name }));
          onClose();
        }}
        onClose={() => setDeleteOpen(false)}
      />
    </Group>
  );
}

function AssetFacts({ asset }: { asset: Asset }) {
  const { type, mimeType, sizeBytes, width, height, dateCreated, createdBy } = asset;
  const uploaded = (
    <>
      <TimeAgo at={dateCreated} /> {t('assets.details.by', { name: actorText(createdBy) })}
    </>
  );
  const facts: [string, ReactNode][] = [
    [t('assets.details.fileType'), [t(`assets.types.${type}`), mimeType].filter(Boolean).join(', ')],
    [t('assets.details.size'), sizeBytes !== undefined && bytesText(sizeBytes)],
    [
      t('assets.details.dimensions'),
      width !== undefined && height !== undefined && t('assets.details.pixels', { width, height }),
    ],
    [t('assets.details.uploaded'), uploaded],
  ];
  return (
    <section>
      <VisuallyHidden>{t('assets.details.facts')}</VisuallyHidden>
      <Facts facts={facts.filter(([, value]) => value !== false)} />
    </section>
  );
}

function AssetPreview({ asset }: { asset: Asset }) {
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
