import type { Static } from 'typebox';
import { type FieldError, Problem } from '../../../problems.ts';
import { fieldSchemas, type WritableField, writableFieldNames } from '../location-fields.ts';

interface LocationColumn {
  name: string;
  /** Description in the template. */
  meaning: string;
  example: string;
  read(cell: string, into: RowValues): void;
}

/** Values of a row before validation by the location rules. */
export interface RowValues {
  fields: Partial<Record<WritableField, unknown>>;
  hours: Map<number, Record<string, string | boolean>>;
}

type Read = (cell: string) => unknown;

const listSeparator = '|';

const entriesOf = (cell: string) =>
  cell
    .split(listSeparator)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** Accepts a decimal comma. Other text is kept, so that the location rules report it. */
const number: Read = (cell) => (/^-?\d+([.,]\d+)?$/.test(cell) ? Number(cell.replace(',', '.')) : cell);

const booleanWords = new Map([
  ['true', true],
  ['yes', true],
  ['false', false],
  ['no', false],
]);
const booleans = new Map([...booleanWords, ['1', true], ['0', false]]);
const readBoolean: Read = (cell) => booleans.get(cell.toLowerCase()) ?? cell;

/** Parses `name=value` into an object with the given property names. */
const pair =
  (name: string, value: string): Read =>
  (entry) => {
    const at = entry.indexOf('=');
    return at < 0 ? { [name]: entry } : { [name]: entry.slice(0, at).trim(), [value]: entry.slice(at + 1).trim() };
  };

/** `2026-12-24 08:00-12:00 14:00-16:00`, or `2026-12-25 closed`. */
const specialDay: Read = (entry) => {
  const [date, ...periods] = entry.split(/\s+/).join(' ').replaceAll(' - ', '-').split(' ');
  if (periods.length === 1 && /^closed$/i.test(periods[0] ?? '')) return { date, closed: true };
  // The location rules report a third period, and times such as 12:00-13:00.
  const times = periods.slice(0, 3).flatMap((period, index) => {
    const [from, ...to] = period.split('-');
    return [
      [`from${index + 1}`, from],
      [`to${index + 1}`, to.join('-')],
    ];
  });
  return { date, ...Object.fromEntries(times.filter(([, time]) => time)) };
};

const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** `mondayFrom1` for day 1 and `from1`. */
export const hoursColumn = (dayOfWeek: number, part: string): string =>
  `${days[dayOfWeek - 1]}${part.charAt(0).toUpperCase()}${part.slice(1)}`;

/** Four times and a boolean for each day. */
const hoursColumns = days.flatMap((day, index) => {
  const of = (part: string, meaning: string, example: string): LocationColumn => ({
    name: hoursColumn(index + 1, part),
    meaning,
    example,
    read(cell, { hours }) {
      const given = hours.get(index + 1) ?? {};
      hours.set(index + 1, given);
      if (part !== 'closed' && /^closed$/i.test(cell)) given.closed = true;
      else given[part] = part === 'closed' ? (readBoolean(cell) as boolean) : cell;
    },
  });
  const isSunday = index === 6;
  return [
    of('from1', `opening time on ${day}, such as 08:30, or "closed"`, isSunday ? 'closed' : '09:00'),
    of('to1', 'closing time; a time before the opening time is on the next day', isSunday ? '' : '12:30'),
    of('from2', 'start of the second period of the day', isSunday ? '' : '13:30'),
    of('to2', 'end of the second period of the day', isSunday ? '' : '18:00'),
    of('closed', `true when closed on ${day}`, ''),
  ];
});

/** A key without a value means true. `1` and `0` can be quantities, so they remain text. */
function attribute(entry: string): unknown {
  const at = entry.indexOf('=');
  if (at < 0) return { key: entry, value: true };
  const value = entry.slice(at + 1).trim();
  return { key: entry.slice(0, at).trim(), value: booleanWords.get(value.toLowerCase()) ?? value };
}

interface CellFormat {
  meaning: string;
  example: string;
  read: Read;
}

const cell = (meaning: string, example = '', read: Read = (text) => text): CellFormat => ({ meaning, example, read });

const list = (meaning: string, example = '', read: Read = (entry) => entry): CellFormat =>
  cell(`${meaning}, separated by ${listSeparator}`, example, (text) => entriesOf(text).map(read));

/** Fields without a column of their name. The columns of openingHours are `hoursColumns`. */
type WithoutColumn = 'openingHours' | 'services' | 'websiteExtra';
type ColumnName = Exclude<WritableField, WithoutColumn>;
type PlainField = {
  [Name in ColumnName]: Static<(typeof fieldSchemas)[Name]> extends string | number | boolean ? Name : never;
}[ColumnName];

/** Other texts, numbers and booleans have the format `defaultFormat`. */
const ownFormats: Record<Exclude<ColumnName, PlainField>, CellFormat> & Partial<Record<PlainField, CellFormat>> = {
  identifier: cell('your own unique identifier; a row with a known identifier updates that location', 'BER-001'),
  businessId: cell('id of the business; required unless the upload sets it for all rows', '1', number),
  name: cell('name of the location', 'Bäckerei Morgenrot'),
  street: cell('street', 'Torstraße'),
  streetNo: cell('house number', '12a'),
  addressExtra: cell('floor, building or centre'),
  zip: cell('postal code', '10119'),
  city: cell('city', 'Berlin'),
  country: cell('two-letter country code', 'DE'),
  lat: cell('latitude; requires lng', '52.5290', number),
  lng: cell('longitude; requires lat', '13.4010', number),
  addressDisplay: cell('whether directories show the address: true or false', 'true', readBoolean),
  timeZone: cell('time zone, such as Europe/Berlin', 'Europe/Berlin'),
  phone: cell('phone number', '+49 30 901820'),
  fax: cell('fax number'),
  cellphone: cell('mobile number'),
  website: cell('http or https URL', 'https://www.example.com'),
  email: cell('e-mail address', 'berlin@example.com'),
  categories: list('category names or ids, the main category first', 'Bakery|Café'),
  autoSync: cell('whether changes are submitted to directories automatically: true or false', '', readBoolean),
  temporarilyClosed: cell('temporarily closed: true or false', '', readBoolean),
  descriptionShort: cell('at most 200 characters', 'Brot und Brötchen aus eigener Backstube'),
  descriptionLong: cell('at most 1000 characters'),
  specialOpeningHours: list('days with special hours', '2026-12-24 08:00-12:00|2026-12-25 closed', specialDay),
  openingDate: cell('opening date as YYYY-MM-DD'),
  keywords: list('search keywords', 'Brot|Brötchen'),
  labels: list('label names', 'Nord|Franchise'),
  brands: list('brands'),
  paymentOptions: list('payment options', 'CASH|VISA'),
  languages: list('language codes', 'de|en'),
  attributes: list('attributes, as key=value; true, yes, false and no are booleans', '', attribute),
  serviceAreas: list('areas served', '', (entry) => ({ name: entry })),
  socialProfiles: list('social network profiles, as network=URL', '', pair('type', 'url')),
  photos: list('photo URLs', '', (entry) => ({ url: entry })),
  videos: list('video URLs', '', (entry) => ({ url: entry })),
  utms: list('query parameters added to the website, as directory=parameters', '', pair('type', 'parameters')),
  callTrackingNumbers: list('numbers that are forwarded to the phone number'),
  customFields: list('custom fields, as name=value', '', pair('name', 'value')),
};

const defaultReads: Readonly<Record<string, Read>> = { number, integer: number, boolean: readBoolean };

/** The description of the field, without an example. */
function defaultFormat(field: WritableField): CellFormat {
  const { type, description } = fieldSchemas[field] as { type?: string; description?: string };
  const meaning = description ?? field;
  return cell(meaning.charAt(0).toLowerCase() + meaning.slice(1), '', defaultReads[type ?? '']);
}

function columnsOf(field: WritableField): LocationColumn[] {
  if (field === 'openingHours') return hoursColumns;
  if (field === 'services' || field === 'websiteExtra') return [];
  const { meaning, example, read } = ownFormats[field] ?? defaultFormat(field);
  return [
    {
      name: field,
      meaning,
      example,
      read(text, { fields }) {
        fields[field] = read(text);
      },
    },
  ];
}

/** The order of the fields, except that identifier is first and labels follow keywords. */
const columnOrder = (['identifier', ...writableFieldNames] as const)
  .filter((field, index) => field !== 'labels' && (field !== 'identifier' || index === 0))
  .flatMap((field): WritableField[] => (field === 'keywords' ? [field, 'labels'] : [field]));

export const locationColumns: readonly LocationColumn[] = columnOrder.flatMap(columnsOf);

export const requiredColumns = ['name', 'street', 'city', 'country', 'categories'] as const;

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
    ...[...new Set(known.filter((name, index) => known.indexOf(name) < index))].map(repeated),
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

const repeated = (name: string): FieldError => ({
  field: name,
  rule: 'unique',
  message: `The column ${name} occurs more than once. Keep one of them.`,
});
