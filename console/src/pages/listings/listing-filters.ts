import { defineFilters, type FiltersOf, optionsOf } from '../../parts/filters.ts';
import { flag, manyOf } from '../../parts/search-params.ts';
import { businessFilter, directoryFilter, locationFilter } from '../../parts/shared-filters.ts';
import { t } from '../../texts/t.ts';
import {
  claimStatuses,
  connectStatuses,
  countedFlows,
  type FlowStatus,
  flowStatuses,
  syncStatuses,
} from './listing-values.ts';

const size = { flex: '1 1 12rem', miw: '9rem' };
const choices = { control: 'choices', isSearchable: true, ...size } as const;

export const listingFilters = defineFilters({
  location: { ...locationFilter, isFirst: true, ...size },
  business: { ...businessFilter, ...size },
  directory: { ...directoryFilter, apiParameter: 'directoryType', ...size },
  sync: {
    param: manyOf(syncStatuses),
    label: t('listings.syncStatus'),
    any: t('listings.allSync'),
    useOptions: () => optionsOf('listings.sync', syncStatuses),
    apiParameter: 'syncStatus',
    ...choices,
  },
  flow: {
    param: manyOf(['COUNTED', ...flowStatuses]),
    label: t('listings.flowStatus'),
    any: t('listings.allFlow'),
    useOptions: () => [
      { value: 'COUNTED', label: t('listings.countedFlow') },
      ...optionsOf('listings.flow', flowStatuses),
    ],
    apiParameter: 'flowStatus',
    toApi: (flows: readonly ('COUNTED' | FlowStatus)[] | undefined) =>
      flows && [...new Set(flows.flatMap((flow) => (flow === 'COUNTED' ? countedFlows : [flow])))],
    ...choices,
  },
  claim: {
    param: manyOf(claimStatuses),
    label: t('listings.claimStatus'),
    any: t('listings.allClaim'),
    useOptions: () => optionsOf('listings.claim', claimStatuses),
    apiParameter: 'claimStatus',
    ...choices,
  },
  connect: {
    param: manyOf(connectStatuses),
    label: t('listings.connectStatus'),
    any: t('listings.allConnect'),
    useOptions: () => optionsOf('listings.connect', connectStatuses),
    apiParameter: 'connectStatus',
    ...choices,
  },
  duplicates: {
    param: flag,
    control: 'yesNo',
    label: t('listings.duplicates'),
    any: t('listings.withDuplicates'),
    useOptions: () => [
      { value: 'true', label: t('listings.onlyDuplicates') },
      { value: 'false', label: t('listings.noDuplicates') },
    ],
    apiParameter: 'duplicates',
    ...size,
  },
} satisfies FiltersOf<'GET /api/listings'>);
