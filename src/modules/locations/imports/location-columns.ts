import { type FieldError, Problem } from '../../../problems.ts';
import type { WritableField } from '../location.ts';

interface LocationColumn {
  name: string;
  /** For the template. */
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

const column = (field: WritableField, meaning: string, example: string, read: Read = (cell) => cell) => ({
  name: field,
  meaning,
  example,
  read(cell: string, { fields }: RowValues) {
    fields[field] = read(cell);
  },
});

const list = (field: WritableField, meaning: string, example: string, read: Read = (entry) => entry) =>
  column(field, `${meaning}, separated by ${listSeparator}`, example, (cell) => entriesOf(cell).map(read));

/** Accepts a decimal comma. Other text is kept, so that the location rules report it. */
const number: Read = (cell) => (/^-?\d+([.,]\d+)?$/.test(cell) ? Number(cell.replace(',', '.')) : cell);

const words = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);
const readBoolean: Read = (cell) => words.get(cell.toLowerCase()) ?? cell;

/** Parses `name=value` into an object with the given property names. */
const pair =
  (name: string, value: string): Read =>
  (entry) => {
    const at = entry.indexOf('=');
    return at < 0 ? { [name]: entry } : { [name]: entry.slice(0, at).trim(), [value]: entry.slice(at + 1).trim() };
  };

/** `2026-12-24 08:00-12:00 14:00-16:00`, or `2026-12-25 closed`. */
const specialDay: Read = (entry) => {
  const [date, ...periods] = entry.split(/\s+/);
  if (periods.length === 1 && /^closed$/i.test(periods[0] ?? '')) return { date, closed: true };
  const times = periods.slice(0, 3).flatMap((period, index) => {
    const [from, to] = period.split('-');
    return [
      [`from${index + 1}`, from],
      [`to${index + 1}`, to],
    ];
  });
  return { date, ...Object.fromEntries(times.filter(([, time]) => time)) };
};

const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** `mondayFrom1`: the first day is Monday. */
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

export const locationColumns: readonly LocationColumn[] = [
  column('identifier', 'your own unique identifier; a row with a known identifier updates that location', 'BER-001'),
  column('businessId', 'id of the business; required unless the upload sets it for all rows', '1', number),
  column('name', 'name of the location', 'Bäckerei Morgenrot'),
  column('street', 'street', 'Torstraße'),
  column('streetNo', 'house number', '12a'),
  column('addressExtra', 'floor, building or centre', ''),
  column('zip', 'postal code', '10119'),
  column('city', 'city', 'Berlin'),
  column('province', 'province or state', ''),
  column('country', 'two-letter country code', 'DE'),
  column('lat', 'latitude; requires lng', '52.5290', number),
  column('lng', 'longitude; requires lat', '13.4010', number),
  column('addressDisplay', 'whether directories show the address: true or false', 'true', readBoolean),
  column('timeZone', 'time zone, such as Europe/Berlin', 'Europe/Berlin'),
  column('phone', 'phone number', '+49 30 901820'),
  column('fax', 'fax number', ''),
  column('cellphone', 'mobile number', ''),
  column('website', 'http or https URL', 'https://www.example.com'),
  column('email', 'e-mail address', 'berlin@example.com'),
  list('categories', 'category names or ids, the main category first', 'Bakery|Café'),
  column('autoSync', 'whether changes are submitted to directories automatically: true or false', '', readBoolean),
  column('temporarilyClosed', 'temporarily closed: true or false', '', readBoolean),
  column('descriptionShort', 'at most 200 characters', 'Brot und Brötchen aus eigener Backstube'),
  column('descriptionLong', 'at most 1000 characters', ''),
  column('imprint', 'imprint', ''),
  ...hoursColumns,
  list('specialOpeningHours', 'days with special hours', '2026-12-24 08:00-12:00|2026-12-25 closed', specialDay),
  column('openingHoursNotes', 'notes on the opening hours', ''),
  column('openingDate', 'opening date as YYYY-MM-DD', ''),
  list('keywords', 'search keywords', 'Brot|Brötchen'),
  list('labels', 'label names', 'Nord|Franchise'),
  list('brands', 'brands', ''),
  list('paymentOptions', 'payment options', 'CASH|VISA'),
  list('languages', 'language codes', 'de|en'),
  list('attributes', 'attributes, as key=value', '', attribute),
  list('serviceAreas', 'areas served', '', (entry) => ({ name: entry })),
  list('socialProfiles', 'social network profiles, as network=URL', '', pair('type', 'url')),
  list('photos', 'photo URLs', '', (entry) => ({ url: entry })),
  list('videos', 'video URLs', '', (entry) => ({ url: entry })),
  list('utms', 'query parameters added to the website, as directory=parameters', '', pair('type', 'parameters')),
  list('callTrackingNumbers', 'numbers that are forwarded to the phone number', ''),
  list('customFields', 'custom fields, as name=value', '', pair('name', 'value')),
];

/** A key without a value means true. */
function attribute(entry: string): unknown {
  const at = entry.indexOf('=');
  if (at < 0) return { key: entry, value: true };
  const value = entry.slice(at + 1).trim();
  return { key: entry.slice(0, at).trim(), value: words.get(value.toLowerCase()) ?? value };
}

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
