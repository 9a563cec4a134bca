import { MultiSelect, Select } from '@mantine/core';
import { FoldedFilters } from '../../parts/folded-filters.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { t } from '../../texts/t.ts';
import { type AssetSort, assetSorts, assetStatuses, assetTypes } from './asset-values.ts';

export interface AssetSearch {
  folder?: number;
  query?: string;
  type?: (typeof assetTypes)[number][];
  status?: (typeof assetStatuses)[number][];
  sort?: AssetSort;
  offset?: number;
  asset?: number;
}

interface Props {
  search: AssetSearch;
  onChange: (change: AssetSearch) => void;
}

export function AssetFilters({ search: { query, type, status, sort }, onChange }: Props) {
  return (
    <FoldedFilters
      count={[type, status, sort].filter((value) => value !== undefined).length}
      first={
        <SearchField
          label={t('assets.search')}
          value={query}
          onChange={(value) => onChange({ query: value })}
          flex="2 1 12rem"
        />
      }
    >
      <MultiSelect
        aria-label={t('assets.type')}
        placeholder={type ? undefined : t('assets.allTypes')}
        data={assetTypes.map((value) => ({ value, label: t(`assets.types.${value}`) }))}
        value={type ?? []}
        onChange={(values) => onChange({ type: values.length > 0 ? values : undefined })}
        clearable
        flex="1 1 8rem"
        miw={0}
      />
      <Select
        aria-label={t('assets.status')}
        placeholder={t('assets.allStatuses')}
        data={assetStatuses.map((value) => ({ value, label: t(`assets.statuses.${value}`) }))}
        value={status?.[0] ?? null}
        onChange={(value) => onChange({ status: value ? [value] : undefined })}
        clearable
        allowDeselect
        flex="1 1 10rem"
      />
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
