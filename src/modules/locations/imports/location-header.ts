import { type FieldError, Problem } from '../../../problems.ts';
import { type LocationColumn, locationColumns, requiredColumns } from './location-columns.ts';

/** What the columns of a file stand for, in the order in which they are there. */
export interface LocationHeader {
  columns: (LocationColumn | undefined)[];
  /** Columns that mean nothing here, as they are written. */
  unknown: string[];
}

/** Upper and lower case, spaces, underscores, hyphens and dots do not matter: `Street No` is streetNo. */
const loosely = (name: string) => name.toLowerCase().replaceAll(/[\s_.-]/g, '');

const byName = new Map(locationColumns.map((column) => [loosely(column.name), column]));

/** Throws when a column that every row needs is missing, or one is there twice. */
export function readHeader(names: readonly string[], { hasBusiness }: { hasBusiness: boolean }): LocationHeader {
  const columns = names.map((name) => byName.get(loosely(name)));
  const known = columns.flatMap((column) => (column ? [column.name] : []));
  const required = [...requiredColumns, ...(hasBusiness ? [] : ['businessId'])];
  const errors = [
    ...required.filter((name) => !known.includes(name)).map(missing),
    ...[...new Set(known.filter((name, index) => known.indexOf(name) < index))].map(twice),
  ];
  if (errors.length > 0) {
    throw new Problem(errors.some(({ rule }) => rule === 'required') ? 'MISSING_PARAMETER' : 'INVALID_PARAMETER', {
      errors,
    });
  }
  return { columns, unknown: names.filter((name, index) => !columns[index] && name !== '') };
}

const missing = (name: string): FieldError => ({
  field: name,
  rule: 'required',
  message:
    name === 'businessId'
      ? 'The column businessId is missing: add it, or choose the business of all rows with the upload (businessId).'
      : `The column ${name} is missing. The template (template.csv) has every column.`,
});

const twice = (name: string): FieldError => ({
  field: name,
  rule: 'unique',
  message: `The column ${name} is there more than once: leave one of them.`,
});
