import { type PeriodSearch, periodOf } from '../../parts/periods.ts';
import type { deliveryStates } from './webhook-values.ts';

/** Delivery filters in the URL. */
export interface DeliverySearch extends PeriodSearch {
  state?: (typeof deliveryStates)[number][] | undefined;
  statusCode?: number | undefined;
  eventId?: number | undefined;
  order?: 'ASC' | undefined;
  live?: boolean | undefined;
  delivery?: string | undefined;
}

export const noFilters = {
  state: undefined,
  statusCode: undefined,
  eventId: undefined,
  period: undefined,
  since: undefined,
  until: undefined,
};

export const isFiltered = (search: DeliverySearch): boolean =>
  Object.keys(noFilters).some((name) => search[name as keyof typeof noFilters] !== undefined);

/** API parameters. Times in the URL are local and to the minute. */
export function queryOf({ state, statusCode, eventId, period, since, until, order }: DeliverySearch, now: number) {
  return {
    states: state,
    order,
    ...(statusCode !== undefined && statusCode >= 100 && statusCode <= 999 && { statusCode }),
    ...(eventId !== undefined && eventId > 0 && { eventId }),
    ...periodOf({ period, since, until }, now),
  };
}
