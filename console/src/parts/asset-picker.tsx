import { Image, Modal, SimpleGrid, Stack, Text, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import type { Asset } from '../api/api-types.ts';
import { useApi } from '../api/use-api.ts';
import { t } from '../texts/t.ts';
import classes from './asset-picker.module.css';
import { listOf } from './data-list/column.ts';
import { ListPages } from './data-list/list-pages.tsx';
import { ListState, ReloadError } from './data-list/list-state.tsx';
import { SearchField } from './search-field.tsx';

interface Props {
  isOpen: boolean;
  onPick: (asset: Asset) => void;
  onClose: () => void;
}

export function AssetPicker({ isOpen, onPick, onClose }: Props) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t('posts.assets.title')} size="xl">
      <Images onPick={onPick} />
    </Modal>
  );
}

const pageSize = 24;

/** The API limits the descriptions of photos of locations and posts. Those of assets can be longer. */
const maxPhotoDescription = 255;

function asPhoto(asset: Asset): Asset {
  const { description = '', ...others } = asset;
  return description.length > maxPhotoDescription ? others : asset;
}

function Images({ onPick }: Pick<Props, 'onPick'>) {
  const [query, setQuery] = useState<string>();
  const [offset, setOffset] = useState(0);
  const found = useApi(
    'GET /api/dam/assets',
    { query: { type: ['IMAGE'], query, page: offset / pageSize, size: pageSize, sort: 'dateCreated', order: 'DESC' } },
    { keepPrevious: true },
  );
  const paging = { offset, max: pageSize, onChange: setOffset };
  const source = listOf(found, ({ assets }) => assets);
  return (
    <Stack>
      <SearchField
        label={t('posts.assets.search')}
        value={query}
        onChange={(value) => {
          setQuery(value);
          setOffset(0);
        }}
        data-autofocus
      />
      {!source.rows || source.rows.length === 0 ? (
        <ListState
          source={source}
          isNarrow={false}
          isFiltered={query !== undefined}
          onClearFilters={() => setQuery(undefined)}
          paging={paging}
          empty={{ title: t('posts.assets.none'), text: t('posts.assets.noneText') }}
        />
      ) : (
        <>
          <ReloadError source={source} />
          <SimpleGrid cols={{ base: 2, xs: 3, sm: 4 }} spacing="sm">
            {source.rows.map((asset) => (
              <UnstyledButton
                key={asset.id}
                className={classes.pick}
                aria-label={t('posts.assets.choose', { name: asset.name })}
                onClick={() => onPick(asPhoto(asset))}
              >
                <Image src={asset.thumbnailUrl ?? asset.url} alt="" h={110} fit="cover" radius="md" loading="lazy" />
                <Text size="xs" truncate mt={4} title={asset.name}>
                  {asset.name}
                </Text>
              </UnstyledButton>
            ))}
          </SimpleGrid>
          <ListPages paging={paging} count={source.count ?? 0} isExact />
        </>
      )}
    </Stack>
  );
}
