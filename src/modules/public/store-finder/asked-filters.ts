import { invalidField } from '../../../problems.ts';
import { countryCode } from '../../../values/countries.ts';
import { type MapFilter, type ValueKind, valueKinds } from '../../locations/index.ts';
import type { FinderFilter } from './finder-filters.ts';

/** A comma is part of a value unless a filter begins behind it. */
const between = new RegExp(`,(?=\\s*(?:${valueKinds.join('|')}):)`, 'i');

export type AskedFilters = ReadonlyMap<ValueKind, readonly string[]>;

/** `labels:Drive-in,labels:Open late,countries:DE`, or the same in repeated keys. */
export function readFilters(
  given: string | readonly string[] | undefined,
  offered: readonly ValueKind[],
): AskedFilters {
  const asked = new Map<ValueKind, string[]>();
  const entries = [given ?? []].flat().flatMap((text) => text.split(between));
  for (const entry of entries.map((text) => text.trim()).filter((text) => text !== '')) {
    const colon = entry.indexOf(':');
    const name = entry.slice(0, Math.max(0, colon)).trim().toLowerCase();
    const kind = offered.find((known) => known.toLowerCase() === name);
    const value = entry.slice(colon + 1).trim();
    if (!kind || value === '') {
      const choice = offered.length > 0 ? `one of ${offered.join(', ')}` : 'none: this finder has no filters';
      throw invalidField('filters', 'filter', `filters has "${entry}"; use id:value, the id being ${choice}.`);
    }
    asked.set(kind, [...(asked.get(kind) ?? []), value]);
  }
  return asked;
}

/** What locations keep for what was asked for; labels that are not offered are not looked for. */
export function filterKeys(asked: AskedFilters, known: readonly FinderFilter[]): Partial<MapFilter> {
  const keys = (kind: ValueKind, otherwise: (text: string) => string | undefined) =>
    asked.get(kind)?.flatMap((text) => {
      const values = known.find((filter) => filter.kind === kind)?.values ?? [];
      const meant = values.filter(({ key, value, translations }) =>
        [key, value, ...Object.values(translations)].some((word) => same(word, text)),
      );
      return meant.length > 0 ? meant.map(({ key }) => key) : (otherwise(text) ?? []);
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
