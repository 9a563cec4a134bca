import { Anchor, Breadcrumbs, Button, Card, FileButton, Group, Menu, Select, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { FolderPlus, LayoutTemplate, Plus, Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import type { AssetFolder } from '../../api/api-types.ts';
import { useHasPermission } from '../../api/session.ts';
import { FilterControls } from '../../parts/filter-controls.tsx';
import { FoldedFilters } from '../../parts/folded-filters.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { TryAgain } from '../../parts/try-again.tsx';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t } from '../../texts/t.ts';
import { AssetDrawer } from './asset-drawer.tsx';
import { type AssetSearch, assetFilters } from './asset-filters.ts';
import { AssetGrid } from './asset-grid.tsx';
import { type AssetSort, assetSorts } from './asset-values.ts';
import classes from './assets.module.css';
import { DropZone } from './drop-zone.tsx';
import { FolderActions } from './folder-actions.tsx';
import { FolderForm } from './folder-form.tsx';
import { ancestorsOf, FolderTree } from './folder-tree.tsx';
import { TemplateForm } from './template-form.tsx';
import { UploadList } from './upload-list.tsx';
import { useUploads } from './uploads.ts';
import { useFolders } from './use-folders.ts';

const route = getRouteApi('/shell/assets');
const noFolders: AssetFolder[] = [];

export function AssetsPage() {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const mayWrite = useHasPermission('ASSET_WRITE');
  const found = useFolders();
  const folders = found.data ?? noFolders;
  const queryClient = useQueryClient();
  const [creating, setCreating] = useState<'folder' | 'template'>();
  const folder = folders.find(({ id }) => id === search.folder);
  const { uploads, add, cancel, retry, clear } = useUploads(() => {
    for (const endpoint of ['GET /api/dam/assets', 'GET /api/dam/folders'])
      void queryClient.invalidateQueries({ queryKey: [endpoint] });
  });
  const upload = (files: File[]) => add(files, search.folder);
  const resetFiles = useRef<() => void>(null);
  const openFolder = (id: number | undefined) => change({ folder: id, query: undefined });
  return (
    <>
      <PageHeader
        title={t('assets.title')}
        text={t('assets.lead')}
        actions={
          mayWrite && (
            <>
              <Menu position="bottom-end">
                <Menu.Target>
                  <Button variant="default" leftSection={<Plus size={16} aria-hidden />}>
                    {t('assets.new')}
                  </Button>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item leftSection={<FolderPlus size={16} aria-hidden />} onClick={() => setCreating('folder')}>
                    {t('assets.newFolder')}
                  </Menu.Item>
                  <Menu.Item
                    leftSection={<LayoutTemplate size={16} aria-hidden />}
                    onClick={() => setCreating('template')}
                  >
                    {t('assets.newTemplate')}
                  </Menu.Item>
                </Menu.Dropdown>
              </Menu>
              <FileButton
                onChange={(files) => {
                  upload(files);
                  // Without a reset, the browser reports no change when the same file is selected again.
                  resetFiles.current?.();
                }}
                resetRef={resetFiles}
                multiple
              >
                {(props) => (
                  <Button {...props} leftSection={<Upload size={16} aria-hidden />}>
                    {t('assets.upload')}
                  </Button>
                )}
              </FileButton>
            </>
          )
        }
      />
      <div className={classes.frame}>
        <Card padding="sm" {...(folders.length === 0 && !found.error && { visibleFrom: 'md' })}>
          <Stack gap="sm">
            {found.error && <TryAgain error={found.error} onRetry={found.refetch} />}
            {(found.data || !found.error) && (
              <FolderTree folders={folders} selected={search.folder} onSelect={openFolder} />
            )}
          </Stack>
        </Card>
        <Stack gap="md" miw={0}>
          <Group justify="space-between" mih={34}>
            <FolderPath folders={folders} folder={folder} onSelect={openFolder} />
            {folder && mayWrite && (
              <FolderActions key={folder.id} folder={folder} onDeleted={() => openFolder(folder.parentId)} />
            )}
          </Group>
          <AssetFilterRow search={search} onChange={change} />
          <UploadList uploads={uploads} onCancel={cancel} onRetry={retry} onClear={clear} />
          <DropZone isDisabled={!mayWrite} onFiles={upload}>
            <AssetGrid
              search={search}
              folders={folders}
              mayWrite={mayWrite}
              onChange={change}
              onOpenFolder={openFolder}
            />
          </DropZone>
        </Stack>
      </div>
      <AssetDrawer
        id={search.asset}
        mayWrite={mayWrite}
        onClose={() => change({ asset: undefined, offset: search.offset })}
      />
      <FolderForm
        isOpen={creating === 'folder'}
        parentId={search.folder}
        onDone={(created) => openFolder(created.id)}
        onClose={() => setCreating(undefined)}
      />
      <TemplateForm
        isOpen={creating === 'template'}
        folderId={search.folder}
        onDone={(created) => change({ asset: created.id })}
        onClose={() => setCreating(undefined)}
      />
    </>
  );
}

interface FolderPathProps {
  folders: readonly AssetFolder[];
  folder: AssetFolder | undefined;
  onSelect: (id: number | undefined) => void;
}

function FolderPath({ folders, folder, onSelect }: FolderPathProps) {
  const ancestors = ancestorsOf(folders, folder?.id).flatMap(
    (ancestorId) => folders.find(({ id }) => id === ancestorId) ?? [],
  );
  return (
    <nav aria-label={t('assets.path')} className={classes.trail}>
      <Breadcrumbs classNames={{ breadcrumb: classes.crumb ?? '' }}>
        {folder && (
          <Anchor component="button" type="button" size="sm" onClick={() => onSelect(undefined)}>
            {t('assets.allAssets')}
          </Anchor>
        )}
        {ancestors.map(({ id, name }) => (
          <Anchor key={id} component="button" type="button" size="sm" onClick={() => onSelect(id)}>
            {name}
          </Anchor>
        ))}
        <Text size="sm" fw={600} aria-current="page">
          {folder?.name ?? t('assets.allAssets')}
        </Text>
      </Breadcrumbs>
    </nav>
  );
}

interface Props {
  search: AssetSearch;
  onChange: (change: AssetSearch) => void;
}

/** The sort order collapses with the filters and is counted as a filter. */
function AssetFilterRow({ search, onChange }: Props) {
  const { sort } = search;
  const props = { filters: assetFilters, search, onChange };
  const collapsed = assetFilters.names.filter((name) => name !== 'query');
  return (
    <FoldedFilters
      count={assetFilters.count(search, collapsed) + (sort ? 1 : 0)}
      first={<FilterControls {...props} only={['query']} />}
    >
      <FilterControls {...props} only={collapsed} />
      <Select
        aria-label={t('assets.sort')}
        data={assetSorts.map((value) => ({ value, label: t(`assets.sorts.${value}`) }))}
        value={sort ?? 'newest'}
        onChange={(value) => onChange({ sort: (value ?? undefined) as AssetSort | undefined })}
        flex="1 1 9rem"
      />
    </FoldedFilters>
  );
}
