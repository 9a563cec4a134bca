import { type FieldError, Problem } from '../../../problems.ts';
import { type LocationColumn, locationColumns, requiredColumns } from './location-columns.ts';

/** Columns in file order. */
export interface LocationHeader {
  columns: (LocationColumn | undefined)[];
  /** Names of unknown columns. */
  unknown: string[];
}

/** Ignores case, spaces, underscores, hyphens and dots: `Street No` is streetNo. */
const normalizeName = (name: string) => name.toLowerCase().replaceAll(/[\s_.-]/g, '');

const byName = new Map(locationColumns.map((column) => [normalizeName(column.name), column]));

/** Throws when a required column is missing or a column is repeated. */
export function readHeader(names: readonly string[], { hasBusiness }: { hasBusiness: boolean }): LocationHeader {
  const columns = names.map((name) => byName.get(normalizeName(name)));
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
      ? 'The column businessId is missing. Add it, or set the query parameter businessId for all rows.'
      : `The column ${name} is missing. GET /api/location-imports/template.csv lists all columns.`,
});

const twice = (name: string): FieldError => ({
  field: name,
  rule: 'unique',
  message: `The column ${name} occurs more than once. Keep one of them.`,
});
