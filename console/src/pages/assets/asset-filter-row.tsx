import { Select } from '@mantine/core';
import { FilterControls } from '../../parts/filter-controls.tsx';
import { FoldedFilters } from '../../parts/folded-filters.tsx';
import { t } from '../../texts/t.ts';
import { type AssetSearch, assetFilters } from './asset-filters.ts';
import { type AssetSort, assetSorts } from './asset-values.ts';

interface Props {
  search: AssetSearch;
  onChange: (change: AssetSearch) => void;
}

/** The sort order collapses with the filters and is counted as a filter. */
export function AssetFilterRow({ search, onChange }: Props) {
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
