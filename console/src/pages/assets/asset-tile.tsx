import { Badge, Group, Text, UnstyledButton } from '@mantine/core';
import { FileText, Film, Folder, Image as ImageIcon, LayoutTemplate } from 'lucide-react';
import type { Asset, AssetFolder } from '../../api/api-types.ts';
import { bytesText } from '../../parts/number-text.ts';
import { t } from '../../texts/t.ts';
import { folderContent } from './asset-values.ts';
import classes from './assets.module.css';

const icons = { IMAGE: ImageIcon, VIDEO: Film, DOCUMENT: FileText, SOCIAL_POST_TEMPLATE: LayoutTemplate } as const;

export function AssetIcon({ type, size = 32 }: { type: Asset['type']; size?: number }) {
  const Icon = icons[type];
  return <Icon size={size} aria-hidden />;
}

export function AssetTile({ asset, onOpen }: { asset: Asset; onOpen: () => void }) {
  const { name, type, status, thumbnailUrl, sizeBytes } = asset;
  const facts = [t(`assets.types.${type}`), sizeBytes !== undefined && bytesText(sizeBytes)].filter(Boolean);
  return (
    <UnstyledButton className={classes.tile} data-hidden={status === 'HIDDEN' || undefined} onClick={onOpen}>
      <div className={classes.picture}>
        {thumbnailUrl ? <img src={thumbnailUrl} alt="" loading="lazy" /> : <AssetIcon type={type} />}
      </div>
      <div className={classes.caption}>
        <Text size="sm" fw={550} truncate title={name}>
          {name}
        </Text>
        <Group justify="space-between" gap={4} wrap="nowrap">
          <Text size="xs" c="dimmed" truncate>
            {facts.join(', ')}
          </Text>
          {status === 'HIDDEN' && (
            <Badge size="xs" color="gray">
              {t('assets.statuses.HIDDEN')}
            </Badge>
          )}
        </Group>
      </div>
    </UnstyledButton>
  );
}

export function FolderTile({ folder, onOpen }: { folder: AssetFolder; onOpen: () => void }) {
  const { name } = folder;
  return (
    <UnstyledButton className={`${classes.tile} ${classes.folder}`} onClick={onOpen}>
      <Folder size={22} aria-hidden className={classes.nodeIcon} />
      <div style={{ minWidth: 0 }}>
        <Text size="sm" fw={550} truncate title={name}>
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {folderContent(folder)}
        </Text>
      </div>
    </UnstyledButton>
  );
}
