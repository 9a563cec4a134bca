import { LRUCache } from 'lru-cache';
import { type FieldError, renameField } from '../../../problems.ts';
import { normalizeText } from '../../../text.ts';
import { countryCode } from '../../../values/countries.ts';
import {
  type Category,
  categoriesNamed,
  categoryName,
  findCategory,
  findCategoryByPath,
  searchCategories,
} from '../../catalog/index.ts';
import type { LocationPatch } from '../location.ts';
import { maxCategories } from '../location-fields.ts';
import { locationErrors } from '../location-rules.ts';
import type { Fields } from './csv-records.ts';
import { hoursColumn, type LocationHeader, type RowValues, requiredColumns } from './location-columns.ts';

/** An empty cell leaves the field of the location unchanged. */
export type LocationRow =
  | { input: LocationPatch; hasDefaultBusiness?: boolean }
  | { errors: FieldError[]; input?: LocationPatch };

/** An invalid row is also checked by the location rules, so that all its errors are reported at once. */
export function readRow(
  read: Fields,
  { columns }: LocationHeader,
  defaults: { businessId?: number } = {},
): LocationRow {
  if ('fault' in read) return { errors: [rowError('quotes', read.fault)] };
  const cells = read.fields.map(normalizeText);
  if (cells.slice(columns.length).some((cell) => cell !== '')) {
    const message = `The row has ${cells.length} fields, but the header has ${columns.length}. Check for an unquoted delimiter.`;
    return { errors: [rowError('columns', message)] };
  }
  const values: RowValues = { fields: {}, hours: new Map() };
  for (const [index, cell] of cells.entries()) if (cell !== '') columns[index]?.read(cell, values);
  const { hours } = values;
  const hasDefaultBusiness = values.fields.businessId === undefined && defaults.businessId !== undefined;
  const fields = { ...defaults, ...values.fields };
  if (hours.size > 0) {
    const days = [...hours].map(([dayOfWeek, times]) => ({ dayOfWeek, ...times }));
    fields.openingHours = days.sort((one, other) => one.dayOfWeek - other.dayOfWeek);
  }
  const errors = [...missingFields(fields), ...categoryErrors(fields)];
  const input = fields as LocationPatch;
  if (errors.length === 0) return { input, ...(hasDefaultBusiness && { hasDefaultBusiness }) };
  const reported = new Set(errors.map(({ field }) => field));
  const others = inColumns(locationErrors(input), input).filter(({ field }) => !reported.has(field));
  return { errors: [...errors, ...others], input };
}

/** Replaces names by ids. A list that is too long is reported by the location rules. */
function categoryErrors(fields: RowValues['fields']): FieldError[] {
  const { categories, country } = fields;
  if (!Array.isArray(categories) || categories.length > maxCategories) return [];
  const errors: FieldError[] = [];
  fields.categories = categories.map((entry) => {
    const found = categoryByName(String(entry), country);
    if ('id' in found) return found.id;
    errors.push({ field: 'categories', rule: 'known', message: found.problem });
    return entry;
  });
  return errors;
}

/** Replaces field names by column names, also in messages. */
export const inColumns = (errors: readonly FieldError[], input: LocationPatch): FieldError[] =>
  errors.map((error) => renameField(error, columnOfField(error.field, input)));

const missingFields = (fields: RowValues['fields']): FieldError[] =>
  ['businessId' as const, ...requiredColumns]
    .filter((name) => fields[name] === undefined)
    .map((name) => ({ field: name, rule: 'required', message: `${name} is required and must not be empty.` }));

/** `openingHours[0].from1` is the column mondayFrom1, `keywords[3]` the column keywords. */
export function columnOfField(field: string, { openingHours }: LocationPatch): string {
  const [, index, part] = /^openingHours\[(\d+)\](?:\.(\w+))?$/.exec(field) ?? [];
  const day = index === undefined ? undefined : openingHours?.[Number(index)]?.dayOfWeek;
  if (day !== undefined) return hoursColumn(day, part ?? 'from1');
  return field.replace(/[[.].*$/s, '');
}

const rowError = (rule: string, message: string): FieldError => ({ field: 'row', rule, message });

type Resolved = { id: number } | { problem: string };

const maxSuggestions = 5;
const maxNameLength = 100;
// Files repeat a few names in many rows.
const resolved = new LRUCache<string, Resolved>({ max: 1000 });

/** Resolves a category by id, path, or name in English or the main language of the country. */
function categoryByName(name: string, country: unknown): Resolved {
  const languages = languagesOf(country);
  const key = [...languages, name].join(' ');
  const known = resolved.get(key);
  if (known) return known;
  const found = resolve(name, languages);
  resolved.set(key, found);
  return found;
}

function resolve(name: string, languages: readonly string[]): Resolved {
  const direct = /^\d{1,10}$/.test(name) ? findCategory(Number(name)) : findCategoryByPath(name);
  if (direct) return { id: direct.id };
  for (const language of languages) {
    const [first, ...others] = categoriesNamed(name, language);
    if (first && others.length === 0) return { id: first.id };
    if (first) return { problem: ambiguous(name, [first, ...others]) };
  }
  return { problem: unknown(name, languages) };
}

function languagesOf(country: unknown): string[] {
  const code = typeof country === 'string' ? countryCode(country) : undefined;
  return [...new Set(['en', ...(code ? [new Intl.Locale(`und-${code}`).maximize().language] : [])])];
}

const ambiguous = (name: string, found: readonly Category[]) =>
  `Category ${name} is ambiguous. Use one of these paths: ` + `${found.map(({ path }) => path).join(', ')}.`;

function unknown(name: string, languages: readonly string[]): string {
  const short = name.slice(0, maxNameLength);
  const similar = languages.flatMap((language) =>
    searchCategories({ query: short, language, selectable: true })
      .slice(0, maxSuggestions)
      .map((category) => categoryName(category, language)),
  );
  const suggestions = [...new Set(similar)].slice(0, maxSuggestions);
  const hint = suggestions.length > 0 ? ` Similar: ${suggestions.join(', ')}.` : '';
  return `Category ${short} does not exist.${hint} Use the name or id of a category.`;
}
