import { contentFilters, eventSearchFilters } from '../../parts/event-search-filters.ts';
import { defineFilters, type FilterSearch, type FiltersOf, optionsOf } from '../../parts/filters.ts';
import { periodFilters } from '../../parts/periods.ts';
import { manyOf, wholeNumber } from '../../parts/search-params.ts';
import { t } from '../../texts/t.ts';
import { deliveryStates } from './webhook-values.ts';

export const deliveryFilters = defineFilters({
  state: {
    param: manyOf(deliveryStates),
    control: 'choices',
    label: t('webhook.deliveries.state'),
    any: t('webhook.deliveries.anyState'),
    useOptions: () => optionsOf('webhook.deliveries.states', deliveryStates),
    flex: '1 1 12rem',
    apiParameter: 'states',
  },
  statusCode: {
    param: wholeNumber,
    control: 'number',
    label: t('webhook.deliveries.statusCode'),
    flex: '0 1 10rem',
    apiParameter: 'statusCode',
    toApi: (code: number | undefined) => (code !== undefined && code >= 100 && code <= 999 ? code : undefined),
  },
  eventId: {
    param: wholeNumber,
    control: 'number',
    label: t('webhook.deliveries.eventIdFilter'),
    flex: '0 1 10rem',
    apiParameter: 'eventId',
    toApi: (id: number | undefined) => id || undefined,
  },
  ...eventSearchFilters,
  ...periodFilters,
} satisfies FiltersOf<'GET /api/sales-partners/webhooks/{id}/deliveries'>);

export interface DeliverySearch extends FilterSearch<typeof deliveryFilters.all> {
  order?: 'ASC' | undefined;
  live?: boolean | undefined;
  delivery?: string | undefined;
}

/** Whether events are searched by their content, which is too slow for live updates. */
export const isSearch = (search: DeliverySearch): boolean => deliveryFilters.count(search, contentFilters) > 0;
