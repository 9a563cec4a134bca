import { defineFilters, type FilterSearch, type FiltersOf, optionsOf } from '../../parts/filters.ts';
import { manyOf, text } from '../../parts/search-params.ts';
import { t } from '../../texts/t.ts';
import { type AssetSort, assetStatuses, assetTypes } from './asset-values.ts';

export const assetFilters = defineFilters({
  query: {
    param: text,
    control: 'search',
    label: t('assets.search'),
    flex: '2 1 12rem',
    isFirst: true,
    apiParameter: 'query',
  },
  type: {
    param: manyOf(assetTypes),
    control: 'choices',
    label: t('assets.type'),
    any: t('assets.allTypes'),
    useOptions: () => optionsOf('assets.types', assetTypes),
    flex: '1 1 8rem',
    miw: 0,
    apiParameter: 'type',
  },
  status: {
    param: manyOf(assetStatuses),
    control: 'choice',
    label: t('assets.status'),
    any: t('assets.allStatuses'),
    useOptions: () => optionsOf('assets.statuses', assetStatuses),
    flex: '1 1 10rem',
    apiParameter: 'status',
  },
} satisfies FiltersOf<'GET /api/dam/assets'>);

export interface AssetSearch extends FilterSearch<typeof assetFilters.all> {
  folder?: number | undefined;
  sort?: AssetSort | undefined;
  offset?: number | undefined;
  asset?: number | undefined;
}
