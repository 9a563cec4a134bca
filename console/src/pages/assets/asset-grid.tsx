import { SimpleGrid, Stack } from '@mantine/core';
import { Images } from 'lucide-react';
import type { AssetFolder } from '../../api/api-types.ts';
import { useApi } from '../../api/use-api.ts';
import { listOf } from '../../parts/data-list/column.ts';
import { ListPages } from '../../parts/data-list/list-pages.tsx';
import { ListState, ReloadError } from '../../parts/data-list/list-state.tsx';
import { t } from '../../texts/t.ts';
import { type AssetSearch, assetFilters } from './asset-filters.ts';
import { AssetTile, FolderTile } from './asset-tile.tsx';
import { sortParameters } from './asset-values.ts';

interface Props {
  search: AssetSearch;
  folders: readonly AssetFolder[];
  mayWrite: boolean;
  onChange: (change: AssetSearch) => void;
  onOpenFolder: (id: number) => void;
}

const pageSize = 48;

/** Searches cover all folders. */
export function AssetGrid({ search, folders, mayWrite, onChange, onOpenFolder }: Props) {
  const { folder, query, sort = 'newest', offset = 0 } = search;
  const isFiltered = assetFilters.isFiltered(search);
  const inside = isFiltered ? [] : folders.filter(({ parentId }) => parentId === folder);
  const found = useApi(
    'GET /api/dam/assets',
    {
      query: {
        ...(query === undefined && { folderId: folder ?? 0 }),
        ...assetFilters.query(search),
        ...sortParameters[sort],
        page: Math.floor(offset / pageSize),
        size: pageSize,
      },
    },
    { keepPrevious: true },
  );
  const source = listOf(found, ({ assets }) => assets);
  const paging = { offset, max: pageSize, onChange: (next: number) => onChange({ offset: next }) };
  const isEmpty = !source.rows || source.rows.length === 0;
  return (
    <Stack gap="md" aria-busy={found.isFetching}>
      {inside.length > 0 && (
        <SimpleGrid cols={{ base: 1, xs: 2, sm: 3, xl: 4 }} spacing="sm">
          {inside.map((one) => (
            <FolderTile key={one.id} folder={one} onOpen={() => onOpenFolder(one.id)} />
          ))}
        </SimpleGrid>
      )}
      {isEmpty && (inside.length === 0 || offset > 0 || source.isPending || source.error) && (
        <ListState
          source={source}
          isNarrow
          isFiltered={isFiltered}
          onClearFilters={() => onChange(assetFilters.none)}
          paging={paging}
          empty={{
            title: t('assets.none'),
            text: t(mayWrite ? 'assets.noneText' : 'assets.noneShared'),
            icon: <Images aria-hidden />,
          }}
        />
      )}
      {!isEmpty && (
        <>
          <ReloadError source={source} />
          <SimpleGrid cols={{ base: 2, sm: 3, xl: 5 }} spacing="sm">
            {source.rows?.map((asset) => (
              <AssetTile
                key={asset.id}
                asset={asset}
                onOpen={() => onChange({ asset: asset.id, offset: search.offset })}
              />
            ))}
          </SimpleGrid>
          <ListPages paging={paging} count={source.count ?? 0} isExact />
        </>
      )}
    </Stack>
  );
}
