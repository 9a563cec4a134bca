import type { InputOf } from '../../api/call.ts';
import { useApi } from '../../api/use-api.ts';
import { eventSearchFilters } from '../../parts/event-search-filters.ts';
import { defineFilters, type FiltersOf } from '../../parts/filters.ts';
import { periodFilters } from '../../parts/periods.ts';
import { flag } from '../../parts/search-params.ts';
import { inWords, t } from '../../texts/t.ts';

type Types = NonNullable<InputOf<'GET /api/events'>['query']>['type'];

const typeNames = (given: unknown): string[] | undefined => {
  const names = [given].flat().filter((name): name is string => typeof name === 'string' && /^[A-Z_]+$/.test(name));
  return names.length > 0 ? names : undefined;
};

export const eventFilters = defineFilters({
  type: {
    param: typeNames,
    control: 'choices',
    label: t('events.type'),
    any: t('events.allTypes'),
    useOptions: () => {
      const { data } = useApi('GET /api/event-types', {}, { staleTime: Number.POSITIVE_INFINITY });
      return (data?.eventTypes ?? []).map(({ type }) => ({ value: type, label: inWords(type) }));
    },
    isSearchable: true,
    flex: '1 1 16rem',
    apiParameter: 'type',
    toApi: (types: string[] | undefined) => types as Types,
  },
  ...eventSearchFilters,
  ...periodFilters,
  children: {
    param: flag,
    control: 'switch',
    label: t('events.children'),
    apiParameter: 'includeChildren',
    toApi: (isSet: boolean | undefined) => isSet || undefined,
  },
} satisfies FiltersOf<'GET /api/events'>);
