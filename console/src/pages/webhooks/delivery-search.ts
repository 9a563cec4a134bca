import { type deliveryStates, type periods, rangeMs } from './webhook-values.ts';

/** Delivery filters in the URL. */
export interface DeliverySearch {
  state?: (typeof deliveryStates)[number][] | undefined;
  statusCode?: number | undefined;
  eventId?: number | undefined;
  period?: (typeof periods)[number] | undefined;
  since?: string | undefined;
  until?: string | undefined;
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

export function periodOf({ period, since, until }: Pick<DeliverySearch, 'period' | 'since' | 'until'>, now: number) {
  if (period === undefined) return {};
  if (period !== 'own') return { since: new Date(now - rangeMs[period]).toISOString() };
  const [from, to] = [momentOf(since), momentOf(until)];
  return { ...(from && { since: from }), ...(to && { until: to }) };
}

/** Parses a date input such as 2026-11-15T09:30. */
export function momentOf(local: string | undefined): string | undefined {
  const moment = new Date(local ?? '');
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}

/** Formats for a date input. */
export function localText(moment: Date): string {
  const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
