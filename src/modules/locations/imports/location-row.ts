import type { FieldError } from '../../../problems.ts';
import { type LocationPatch, maxCategories } from '../location.ts';
import { locationErrors } from '../location-rules.ts';
import { categoryByName } from './category-names.ts';
import type { Fields } from './csv-fields.ts';
import { hoursColumn, type RowValues, requiredColumns } from './location-columns.ts';
import type { LocationHeader } from './location-header.ts';

/** An empty cell leaves the field of the location unchanged. */
export type LocationRow = { input: LocationPatch } | { errors: FieldError[]; input?: LocationPatch };

/** An invalid row is also checked by the location rules, so that all its errors are reported at once. */
export function readRow(
  read: Fields,
  { columns }: LocationHeader,
  defaults: { businessId?: number } = {},
): LocationRow {
  if ('fault' in read) return { errors: [rowError('quotes', read.fault)] };
  const cells = read.fields.map((cell) => cell.trim());
  if (cells.slice(columns.length).some((cell) => cell !== '')) {
    const message = `The row has ${cells.length} fields, but the header has ${columns.length}. Check for an unquoted delimiter.`;
    return { errors: [rowError('columns', message)] };
  }
  const values: RowValues = { fields: { ...defaults }, hours: new Map() };
  for (const [index, cell] of cells.entries()) if (cell !== '') columns[index]?.read(cell, values);
  const { fields, hours } = values;
  if (hours.size > 0) {
    const days = [...hours].map(([dayOfWeek, times]) => ({ dayOfWeek, ...times }));
    fields.openingHours = days.sort((one, other) => one.dayOfWeek - other.dayOfWeek);
  }
  const errors = [...missingFields(fields), ...categoryErrors(fields)];
  const input = fields as LocationPatch;
  if (errors.length === 0) return { input };
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
  errors.map((error) => {
    const field = columnOfField(error.field, input);
    return { ...error, field, message: error.message.replaceAll(error.field, field) };
  });

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
