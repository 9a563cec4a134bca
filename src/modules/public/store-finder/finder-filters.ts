import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { countryName } from '../../../values/countries.ts';
import { categoryName, findCategory, findLabels } from '../../catalog/index.ts';
import { frequentValues, type LocationValue, type MapFilter, type ValueKind } from '../../locations/index.ts';
import { filterLanguages, filterName, filterNames, paymentName } from './filter-words.ts';
import { type StoreFinder, settingsOf } from './store-finder.ts';

/** Of values that are more, the most frequent ones are offered. */
const mostValues = 500;

const translations = Type.Record(Type.String(), Type.String(), { description: 'By language code' });

export const StoreFinderFilter = Type.Object(
  {
    id: Type.String({ description: 'What a search calls it' }),
    name: Type.String({ description: "In the finder's language" }),
    translations,
    values: Type.Array(
      Type.Object({
        value: Type.String({ description: "In the finder's language; a search takes it, or a translation of it" }),
        translations,
      }),
      { description: `What locations have, the ${mostValues} most frequent ones` },
    ),
  },
  { title: 'StoreFinderFilter', 'x-resource': 'StoreFinderFilter' },
);

/** By what visitors can narrow a search, and what locations have of it. */
export interface FinderFilter {
  kind: ValueKind;
  name: string;
  translations: Record<string, string>;
  values: FilterValue[];
}

interface FilterValue extends LocationValue {
  /** What locations keep: an id, a code, or the words themselves. */
  key: string;
}

export const filterAnswer = ({ kind, values, ...filter }: FinderFilter): Static<typeof StoreFinderFilter> => ({
  id: kind,
  ...filter,
  values: values.map(({ value, translations: words }) => ({ value, translations: words })),
});

/** The locations that a finder shows. */
export const shownBy = ({ partnerId, businessIds, labelIds }: StoreFinder): MapFilter => ({
  partnerId,
  ...(businessIds.length > 0 && { businessIds }),
  ...(labelIds.length > 0 && { labelLists: [labelIds] }),
});

/** A filter that no location has a value for is left out. */
export async function filtersOf(sql: Sql, finder: StoreFinder): Promise<FinderFilter[]> {
  const { filters, language } = settingsOf(finder);
  const found: FinderFilter[] = [];
  for (const kind of filters) {
    const keys = await frequentValues(sql, shownBy(finder), kind, mostValues);
    const values = await named(sql, finder.partnerId, kind, keys, language);
    if (values.length === 0) continue;
    values.sort((a, b) => a.value.localeCompare(b.value, language));
    found.push({ kind, name: filterName(kind, language), translations: { ...filterNames[kind] }, values });
  }
  return found;
}

async function named(
  sql: Sql,
  partnerId: number,
  kind: ValueKind,
  found: readonly LocationValue[],
  language: string,
): Promise<FilterValue[]> {
  const inWords = (key: string, wordsIn: (language: string) => string): FilterValue => ({
    key,
    value: wordsIn(language),
    translations: Object.fromEntries([...new Set([...filterLanguages, language])].map((name) => [name, wordsIn(name)])),
  });
  switch (kind) {
    case 'categories':
      return found.flatMap(({ value }) => {
        const category = findCategory(Number(value));
        return category ? [inWords(value, (name) => categoryName(category, name))] : [];
      });
    case 'countries':
      return found.map(({ value }) => inWords(value, (name) => countryName(value, name)));
    case 'paymentOptions':
      return found.map(({ value }) => inWords(value, (name) => paymentName(value, name)));
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
