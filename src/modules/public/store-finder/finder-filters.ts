import { LRUCache } from 'lru-cache';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { countryName } from '../../../values/countries.ts';
import { categoryName, findCategory, findLabels, languagesFor, readOptions } from '../../catalog/index.ts';
import { frequentValues, type LocationValue, type MapFilter, type ValueKind } from '../../locations/index.ts';
import { type StoreFinder, settingsOf } from './store-finder.ts';

/** Languages of filter names and values, in addition to the finder's. */
const filterLanguages = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt'] as const;

type Names = Record<(typeof filterLanguages)[number], string>;

const names = (...given: [string, string, string, string, string, string, string, string]) =>
  Object.fromEntries(filterLanguages.map((language, index) => [language, given[index]])) as Names;

const filterNames: Record<ValueKind, Names> = {
  categories: names(
    'Category',
    'Kategorie',
    'Catégorie',
    'Categoría',
    'Categoria',
    'Categorie',
    'Kategoria',
    'Categoria',
  ),
  services: names('Services', 'Leistungen', 'Services', 'Servicios', 'Servizi', 'Diensten', 'Usługi', 'Serviços'),
  labels: names('Labels', 'Labels', 'Étiquettes', 'Etiquetas', 'Etichette', 'Labels', 'Etykiety', 'Etiquetas'),
  paymentOptions: names(
    'Payment options',
    'Zahlungsarten',
    'Moyens de paiement',
    'Formas de pago',
    'Metodi di pagamento',
    'Betaalmogelijkheden',
    'Formy płatności',
    'Formas de pagamento',
  ),
  countries: names('Country', 'Land', 'Pays', 'País', 'Paese', 'Land', 'Kraj', 'País'),
  cities: names('City', 'Stadt', 'Ville', 'Ciudad', 'Città', 'Plaats', 'Miasto', 'Cidade'),
};

/** `de-AT` falls back to `de`, unsupported languages to English. */
const filterName = (kind: ValueKind, language: string): string =>
  (filterNames[kind] as Record<string, string>)[language.split('-')[0] ?? ''] ?? filterNames[kind].en;

const payment = new Map<string, Map<string, string>>();

/** Names of payment options from OpenStreetMap. */
function paymentName(option: string, language: string): string {
  for (const candidate of languagesFor(language)) {
    const words = payment.get(candidate) ?? readOptions(candidate, 'payment_multi');
    payment.set(candidate, words);
    const name = words.get(option.toLowerCase());
    if (name !== undefined) return name;
  }
  return option;
}

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

/**
 * Computing filters reads every location of a finder: 1.5 s for 100,000. It happens at most once a minute; visitors
 * wait only if the cached filters are older than ten minutes.
 */
const freshMs = 60_000;
const usableMs = 600_000;
const maxEntries = 1000;

/** Returns a function that serves stale filters while `read` runs again. Changed finders are read anew. */
export function cacheFilters(read: (finder: StoreFinder) => Promise<FinderFilter[]>) {
  const cache = new LRUCache<string, FinderFilter[], StoreFinder>({
    max: maxEntries,
    ttl: freshMs,
    ttlResolution: 0,
    // A visitor may wait for an entry that is evicted.
    ignoreFetchAbort: true,
    fetchMethod: (_key, _stale, { context }) => read(context),
  });
  return (finder: StoreFinder): Promise<FinderFilter[]> => {
    const key = `${finder.id} ${finder.lastUpdated.getTime()}`;
    const allowStale = cache.getRemainingTTL(key) > freshMs - usableMs;
    return cache.forceFetch(key, { context: finder, allowStale });
  };
}
