import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { countryName } from '../../../values/countries.ts';
import { categoryName, findCategory, findLabels } from '../../catalog/index.ts';
import { frequentValues, type LocationValue, type MapFilter, type ValueKind } from '../../locations/index.ts';
import { filterLanguages, filterName, filterNames, paymentName } from './filter-words.ts';
import { type StoreFinder, settingsOf } from './store-finder.ts';

/** Only the most frequent values are offered. */
const maxValues = 500;

const translations = Type.Record(Type.String(), Type.String(), { description: 'Translations by language code' });

export const StoreFinderFilter = Type.Object(
  {
    id: Type.String({ description: 'Id of the filter in searches' }),
    name: Type.String({ description: "Name in the finder's language" }),
    translations,
    values: Type.Array(
      Type.Object({
        value: Type.String({ description: "Value in the finder's language. Searches accept it or a translation" }),
        translations,
      }),
      { description: `The ${maxValues} most frequent values` },
    ),
  },
  { title: 'StoreFinderFilter', 'x-resource': 'StoreFinderFilter' },
);

export interface FinderFilter {
  kind: ValueKind;
  name: string;
  translations: Record<string, string>;
  values: FilterValue[];
}

interface FilterValue extends LocationValue {
  /** Stored key: an id, a code, or the text itself. */
  key: string;
}

export const filterResponse = ({ kind, values, ...filter }: FinderFilter): Static<typeof StoreFinderFilter> => ({
  id: kind,
  ...filter,
  values: values.map(({ value, translations: words }) => ({ value, translations: words })),
});

export const shownBy = ({ partnerId, businessIds, labelIds }: StoreFinder): MapFilter => ({
  partnerId,
  ...(businessIds.length > 0 && { businessIds }),
  ...(labelIds.length > 0 && { labelLists: [labelIds] }),
});

/** Filters without values are omitted. */
export async function filtersOf(sql: Sql, finder: StoreFinder): Promise<FinderFilter[]> {
  const { filters, language } = settingsOf(finder);
  const found: FinderFilter[] = [];
  for (const kind of filters) {
    const keys = await frequentValues(sql, shownBy(finder), kind, maxValues);
    const values = await nameValues(sql, finder.partnerId, kind, keys, language);
    if (values.length === 0) continue;
    values.sort((a, b) => a.value.localeCompare(b.value, language));
    found.push({ kind, name: filterName(kind, language), translations: { ...filterNames[kind] }, values });
  }
  return found;
}

async function nameValues(
  sql: Sql,
  partnerId: number,
  kind: ValueKind,
  found: readonly LocationValue[],
  language: string,
): Promise<FilterValue[]> {
  const translated = (key: string, nameIn: (language: string) => string): FilterValue => ({
    key,
    value: nameIn(language),
    translations: Object.fromEntries([...new Set([...filterLanguages, language])].map((name) => [name, nameIn(name)])),
  });
  switch (kind) {
    case 'categories':
      return found.flatMap(({ value }) => {
        const category = findCategory(Number(value));
        return category ? [translated(value, (name) => categoryName(category, name))] : [];
      });
    case 'countries':
      return found.map(({ value }) => translated(value, (name) => countryName(value, name)));
    case 'paymentOptions':
      return found.map(({ value }) => translated(value, (name) => paymentName(value, name)));
    case 'labels': {
      const labels = await findLabels(
        sql,
        partnerId,
        found.map(({ value }) => Number(value)),
      );
      return labels
        .filter(({ adminOnly }) => !adminOnly)
        .map(({ id, name }) => ({ key: String(id), value: name, translations: {} }));
    }
    case 'cities':
    case 'services':
      return found.map((value) => ({ ...value, key: value.value }));
  }
}
