import { invalidField } from '../../../problems.ts';
import { countryCode } from '../../../values/countries.ts';
import { type MapFilter, type ValueKind, valueKinds } from '../../locations/index.ts';
import type { FinderFilter } from './finder-filters.ts';

/** A comma separates filters only if a filter id follows. */
const separator = new RegExp(`,(?=\\s*(?:${valueKinds.join('|')}):)`, 'i');

export type RequestedFilters = ReadonlyMap<ValueKind, readonly string[]>;

/** `labels:Drive-in,labels:Open late,countries:DE`, or the same in repeated keys. */
export function readFilters(
  given: string | readonly string[] | undefined,
  offered: readonly ValueKind[],
): RequestedFilters {
  const requested = new Map<ValueKind, string[]>();
  const entries = [given ?? []].flat().flatMap((text) => text.split(separator));
  for (const entry of entries.map((text) => text.trim()).filter((text) => text !== '')) {
    const colon = entry.indexOf(':');
    const name = entry.slice(0, Math.max(0, colon)).trim().toLowerCase();
    const kind = offered.find((known) => known.toLowerCase() === name);
    const value = entry.slice(colon + 1).trim();
    if (!kind || value === '') {
      const choice = offered.length > 0 ? `one of ${offered.join(', ')}` : 'none, because this finder has no filters';
      throw invalidField('filters', 'filter', `filters contains "${entry}". Use id:value, where id is ${choice}.`);
    }
    requested.set(kind, [...(requested.get(kind) ?? []), value]);
  }
  return requested;
}

/** Maps filter values to the keys stored with locations. Labels that are not offered never match. */
export function filterKeys(requested: RequestedFilters, known: readonly FinderFilter[]): Partial<MapFilter> {
  const keys = (kind: ValueKind, fallback: (text: string) => string | undefined) =>
    requested.get(kind)?.flatMap((text) => {
      const values = known.find((filter) => filter.kind === kind)?.values ?? [];
      const matches = values.filter(({ key, value, translations }) =>
        [key, value, ...Object.values(translations)].some((word) => same(word, text)),
      );
      return matches.length > 0 ? matches.map(({ key }) => key) : (fallback(text) ?? []);
    });
  const labels = keys('labels', () => undefined);
  const categories = keys('categories', (text) => (/^\d{1,15}$/.test(text) ? text : undefined));
  const services = keys('services', (text) => text);
  const paymentOptions = keys('paymentOptions', (text) => text.toUpperCase());
  const countries = keys('countries', countryCode);
  const cities = keys('cities', (text) => text);
  return {
    ...(labels && { labelLists: [labels.map(Number)] }),
    ...(categories && { categories: categories.map(Number) }),
    ...(services && { serviceTitles: services }),
    ...(paymentOptions && { paymentOptions }),
    ...(countries && { countries }),
    ...(cities && { cities }),
  };
}

const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
