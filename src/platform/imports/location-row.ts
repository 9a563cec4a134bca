import { Compile } from 'typebox/compile';
import { describeError } from '../../http/field-errors.ts';
import { unstorableText } from '../../http/request-values.ts';
import type { FieldError } from '../../problems.ts';
import { LocationChange, type LocationPatch } from '../locations/location.ts';
import type { Fields } from './csv-fields.ts';
import { type RowValues, requiredColumns } from './location-columns.ts';
import type { LocationHeader } from './location-header.ts';

const shape = Compile(LocationChange);

/** What a row says about a location. An empty cell says nothing: what the location has in that field stays. */
export type LocationRow = { input: LocationPatch } | { errors: FieldError[]; identifier?: string };

export function readRow(
  read: Fields,
  { columns }: LocationHeader,
  defaults: { businessId?: number } = {},
): LocationRow {
  if ('fault' in read) return { errors: [rowError('quotes', read.fault)] };
  const cells = read.fields.map((cell) => cell.trim());
  const extra = cells.slice(columns.length).filter((cell) => cell !== '').length;
  if (extra > 0) {
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
  const errors = [...missingFields(fields), ...misshapen(fields)];
  if (errors.length === 0) return { input: fields as LocationPatch };
  return { errors, ...(typeof fields.identifier === 'string' && { identifier: fields.identifier }) };
}

const missingFields = (fields: RowValues['fields']): FieldError[] =>
  ['businessId' as const, ...requiredColumns]
    .filter((name) => fields[name] === undefined)
    .map((name) => ({ field: name, rule: 'required', message: `${name} is empty, and every location needs it.` }));

function misshapen(fields: RowValues['fields']): FieldError[] {
  const unstorable = unstorableText(fields);
  if (unstorable !== undefined) {
    const field = unstorable.split('/')[1] ?? 'row';
    return [{ field, rule: 'text', message: `${field} has a NUL character, which is no text.` }];
  }
  if (shape.Check(fields)) return [];
  return shape.Errors(fields).flatMap((error) => describeError(LocationChange, error, fields));
}

const rowError = (rule: string, message: string): FieldError => ({ field: 'row', rule, message });
