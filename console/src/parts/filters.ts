import { useMemo } from 'react';
import type { InputOf, OperationName } from '../api/call.ts';
import { textOrWords } from '../texts/t.ts';
import type { Reader } from './search-params.ts';

export interface Option {
  value: string;
  label: string;
}

/** Rendered by filter-controls.tsx. Routes import the filters, so they contain no components. */
export type FilterControl =
  | ('search' | 'number' | 'choices' | 'choice' | 'choiceOrAny' | 'yesNo' | 'switch' | 'tags' | 'day' | 'dateTime')
  | ('businesses' | 'locations' | 'labels');

/** A filter of a list. Its name is its URL parameter. */
export interface Filter<ApiParameter extends string = string> {
  /** Reads the value from the URL or from the control; undefined if not set. */
  // biome-ignore lint/suspicious/noExplicitAny: each filter has its own type of value
  param: Reader<any>;
  /** Without a control, the filter is set only by links. */
  control?: FilterControl;
  label: string;
  /** Shown while the filter is not set. */
  any?: string;
  /** Options of a choice. A hook: it may load them. `typed` is empty unless the choice is searchable. */
  useOptions?: (chosen: readonly string[], typed: string) => readonly Option[];
  isSearchable?: boolean;
  /** `useOptions` returns the options that match `typed`. Otherwise the control filters them by label. */
  searchesOptions?: boolean;
  /** DOM id of the control. */
  id?: string;
  flex?: string;
  miw?: string | number;
  /** Stays visible on narrow screens, where the other filters are folded. */
  isFirst?: boolean;
  isShown?: (search: Readonly<Record<string, unknown>>) => boolean;
  /** Filters to clear when this one changes. */
  resets?: readonly string[];
  apiParameter?: ApiParameter;
  /** Default: the value itself. */
  // biome-ignore lint/suspicious/noExplicitAny: each filter has its own type of value
  toApi?: (value: any, search: Readonly<Record<string, unknown>>) => unknown;
  // biome-ignore lint/suspicious/noExplicitAny: each filter has its own type of value
  fromApi?: (sent: any) => unknown;
}

export type Filters = Readonly<Record<string, Filter>>;

/** `satisfies FiltersOf<'GET /api/listings'>` checks the names of the API parameters. */
export type FiltersOf<Name extends OperationName> = Readonly<
  Record<string, Filter<InputOf<Name> extends { query?: infer Query } ? keyof Query & string : never>>
>;

type ValueOf<One> = One extends { param: Reader<infer Value> } ? Value : never;
type SentBy<One> = One extends { toApi: (...given: never[]) => infer Sent } ? Sent : ValueOf<One>;
type NameInApi<One> = One extends { apiParameter: infer Name extends string } ? Name : never;

export type FilterSearch<All> = { [Name in keyof All]?: ValueOf<All[Name]> | undefined };
type FilterQuery<All> = { [Name in keyof All as NameInApi<All[Name]>]?: Exclude<SentBy<All[Name]>, undefined> };
type Params<All> = { [Name in keyof All]: Reader<ValueOf<All[Name]>> };

export interface FilterSet<All extends Filters> {
  all: All;
  names: readonly (keyof All & string)[];
  /** For `validateSearch`, among the other search parameters of the page. */
  params: Params<All>;
  /** A change of the search that clears all filters. */
  none: { [Name in keyof All]: undefined };
  /** Number of filters that are set, of all or of some. */
  count: (search: FilterSearch<All>, names?: readonly (keyof All)[]) => number;
  isFiltered: (search: FilterSearch<All>) => boolean;
  query: (search: FilterSearch<All>) => FilterQuery<All>;
  /** The inverse of `query`: sets the filters of a saved query and clears the others. */
  searchOf: (query: Readonly<Record<string, unknown>>) => FilterSearch<All>;
}

/** Declares the filters of a list once: URL parameters, controls, labels and API parameters. */
export function defineFilters<const All extends Filters>(all: All): FilterSet<All> {
  const names = Object.keys(all);
  const mapped = (partOf: (filter: Filter) => unknown) =>
    Object.fromEntries(Object.entries(all).map(([name, filter]) => [name, partOf(filter)]));
  const count: FilterSet<All>['count'] = (search, some = names) =>
    some.filter((name) => search[name] !== undefined).length;
  return {
    all,
    names,
    params: mapped(({ param }) => param) as Params<All>,
    none: mapped(() => undefined) as { [Name in keyof All]: undefined },
    count,
    isFiltered: (search) => count(search) > 0,
    query: (search) => {
      const sent = Object.entries(all).flatMap(([name, { apiParameter, toApi }]) => {
        const value = toApi ? toApi(search[name], search) : search[name];
        return apiParameter && value !== undefined ? [[apiParameter, value]] : [];
      });
      return Object.fromEntries(sent) as FilterQuery<All>;
    },
    searchOf: (query) =>
      mapped(({ param, apiParameter, fromApi = (sent) => sent }) =>
        param(apiParameter && fromApi(query[apiParameter])),
      ) as FilterSearch<All>,
  };
}

/** The API query, computed again only when a filter changes: periods such as "last hour" end now. */
export function useFilterQuery<All extends Filters>(filters: FilterSet<All>, search: FilterSearch<All>) {
  const set = JSON.stringify(Object.fromEntries(filters.names.map((name) => [name, search[name]])));
  return useMemo(() => filters.query(JSON.parse(set)), [filters, set]);
}

/** Options with the texts below `stem`, such as `listings.sync`. */
export const optionsOf = (stem: string, values: readonly string[]): Option[] =>
  values.map((value) => ({ value, label: textOrWords(stem, value) }));
