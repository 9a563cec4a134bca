import type { Sql } from '../../database/connection.ts';
import { conditionsOf, type MapFilter } from './location-map-store.ts';

/** Values that the store finder offers as filters. */
export const valueKinds = ['categories', 'services', 'labels', 'paymentOptions', 'countries', 'cities'] as const;
export type ValueKind = (typeof valueKinds)[number];

/** A filter value, such as a category id or a city name. */
export interface LocationValue {
  value: string;
  /** By language code. */
  translations: Record<string, string>;
}

/** SQL to read each kind of value; `same` is the grouping expression. */
const sources: Record<ValueKind, { from: string; value: string; same: string; translations?: string }> = {
  categories: { from: ', unnest(categories) as entry', value: 'entry::text', same: 'entry' },
  labels: { from: ', unnest(label_ids) as entry', value: 'entry::text', same: 'entry' },
  paymentOptions: {
    from: ", jsonb_array_elements_text(profile -> 'paymentOptions') as entry",
    value: 'entry',
    same: 'entry',
  },
  countries: { from: '', value: 'country', same: 'country' },
  cities: { from: '', value: 'city', same: 'lower(city)' },
  services: {
    from: ' join service_items on service_items.location_id = shown.id',
    value: 'title',
    same: 'lower(title)',
    translations: 'max(service_items.translations::text)',
  },
};

/** The most frequent values of public locations. */
export async function frequentValues(
  sql: Sql,
  filter: MapFilter,
  kind: ValueKind,
  limit: number,
): Promise<LocationValue[]> {
  const conditions = conditionsOf(filter);
  const { from, value, same, translations = "'{}'" } = sources[kind];
  const { rows } = await sql.query<{ value: string; translations: string }>(
    `select min(${value}) as value, ${translations} as translations
     from (select id, categories, label_ids, profile, country, city from locations ${conditions.where}) as shown ${from}
     group by ${same} order by count(*) desc, ${same} limit ${conditions.value(limit)}`,
    conditions.values,
  );
  return rows.map(({ value: text, translations: words }) => ({ value: text, translations: titlesIn(words) }));
}

function titlesIn(text: string): Record<string, string> {
  const words = Object.entries(JSON.parse(text) as Record<string, { title?: string }>);
  return Object.fromEntries(words.flatMap(([language, { title }]) => (title ? [[language, title]] : [])));
}
