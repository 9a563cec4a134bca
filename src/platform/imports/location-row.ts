import type { FieldError } from '../../problems.ts';
import type { LocationPatch } from '../locations/location.ts';
import type { Fields } from './csv-fields.ts';
import { hoursColumn, type RowValues, requiredColumns } from './location-columns.ts';
import type { LocationHeader } from './location-header.ts';

/** What a row says about a location. An empty cell says nothing: what the location has in that field stays. */
export type LocationRow = { input: LocationPatch } | { errors: FieldError[]; identifier?: string };

/** The rules for locations look at the values later; here they are only told apart. */
export function readRow(
  read: Fields,
  { columns }: LocationHeader,
  defaults: { businessId?: number } = {},
): LocationRow {
  if ('fault' in read) return { errors: [rowError('quotes', read.fault)] };
  const cells = read.fields.map((cell) => cell.trim());
  if (cells.slice(columns.length).some((cell) => cell !== '')) {
    const message = `The row has ${cells.length} fields and the header ${columns.length}. Is a delimiter not quoted?`;
    return { errors: [rowError('columns', message)] };
  }
  const values: RowValues = { fields: { ...defaults }, hours: new Map() };
  for (const [index, cell] of cells.entries()) if (cell !== '') columns[index]?.read(cell, values);
  const { fields, hours } = values;
  if (hours.size > 0) {
    const days = [...hours].map(([dayOfWeek, times]) => ({ dayOfWeek, ...times }));
    fields.openingHours = days.sort((one, other) => one.dayOfWeek - other.dayOfWeek);
  }
  const errors = missingFields(fields);
  if (errors.length === 0) return { input: fields as LocationPatch };
  return { errors, ...(typeof fields.identifier === 'string' && { identifier: fields.identifier }) };
}

const missingFields = (fields: RowValues['fields']): FieldError[] =>
  ['businessId' as const, ...requiredColumns]
    .filter((name) => fields[name] === undefined)
    .map((name) => ({ field: name, rule: 'required', message: `${name} is empty, and every location needs it.` }));

/** `openingHours[0].from1` is the column mondayFrom1 to whoever wrote the file, `keywords[3]` the column keywords. */
export function columnOfField(field: string, { openingHours }: LocationPatch): string {
  const [, index, part] = /^openingHours\[(\d+)\](?:\.(\w+))?$/.exec(field) ?? [];
  const day = index === undefined ? undefined : openingHours?.[Number(index)]?.dayOfWeek;
  if (day !== undefined) return hoursColumn(day, part ?? 'from1');
  return field.replace(/[[.].*$/s, '');
}

const rowError = (rule: string, message: string): FieldError => ({ field: 'row', rule, message });
