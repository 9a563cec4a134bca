import type { WritableField } from '../location.ts';

/** A column of the file: the field that it fills and how its text is read. */
export interface LocationColumn {
  name: string;
  /** For the template. */
  meaning: string;
  example: string;
  read(cell: string, into: RowValues): void;
}

/** What a row comes to, before the rules for locations look at it. */
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

/** What is no number stays as it is, for the rules to name it. A decimal comma is a decimal point. */
const number: Read = (cell) => (/^-?\d+([.,]\d+)?$/.test(cell) ? Number(cell.replace(',', '.')) : cell);

const words = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);
const truth: Read = (cell) => words.get(cell.toLowerCase()) ?? cell;

/** `name=value`, by the names that the two have in the location. */
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

/** Four times and a word for each day. */
const hoursColumns = days.flatMap((day, index) => {
  const of = (part: string, meaning: string, example: string): LocationColumn => ({
    name: hoursColumn(index + 1, part),
    meaning,
    example,
    read(cell, { hours }) {
      const given = hours.get(index + 1) ?? {};
      hours.set(index + 1, given);
      if (part !== 'closed' && /^closed$/i.test(cell)) given.closed = true;
      else given[part] = part === 'closed' ? (truth(cell) as boolean) : cell;
    },
  });
  const isSunday = index === 6;
  return [
    of('from1', `opening time on ${day}, such as 08:30; or the word closed`, isSunday ? 'closed' : '09:00'),
    of('to1', 'closing time; one before the opening time is past midnight', isSunday ? '' : '12:30'),
    of('from2', 'start of the second period of the day', isSunday ? '' : '13:30'),
    of('to2', 'end of the second period of the day', isSunday ? '' : '18:00'),
    of('closed', `true when closed on ${day}`, ''),
  ];
});

export const locationColumns: readonly LocationColumn[] = [
  column(
    'identifier',
    'your own name of the location, unique; a row with a known one changes that location',
    'BER-001',
  ),
  column('businessId', 'id of the business; needed unless it is given with the upload', '1', number),
  column('name', 'what the location is called', 'Bäckerei Morgenrot'),
  column('street', 'street', 'Torstraße'),
  column('streetNo', 'house number', '12a'),
  column('addressExtra', 'floor, building or centre', ''),
  column('zip', 'postal code', '10119'),
  column('city', 'city', 'Berlin'),
  column('province', 'province or state', ''),
  column('country', 'country code of two letters', 'DE'),
  column('lat', 'latitude, together with lng', '52.5290', number),
  column('lng', 'longitude, together with lat', '13.4010', number),
  column('addressDisplay', 'whether directories show the address: true or false', 'true', truth),
  column('timeZone', 'time zone, such as Europe/Berlin', 'Europe/Berlin'),
  column('phone', 'phone number', '+49 30 901820'),
  column('fax', 'fax number', ''),
  column('cellphone', 'mobile number', ''),
  column('website', 'http or https address', 'https://www.example.com'),
  column('email', 'e-mail address', 'berlin@example.com'),
  list('categories', 'names or ids of categories, the main one first', 'Bakery|Café'),
  column('autoSync', 'whether changes go to the directories by themselves: true or false', '', truth),
  column('temporarilyClosed', 'closed for a while: true or false', '', truth),
  column('descriptionShort', 'at most 200 characters', 'Brot und Brötchen aus eigener Backstube'),
  column('descriptionLong', 'at most 1000 characters', ''),
  column('imprint', 'imprint', ''),
  ...hoursColumns,
  list('specialOpeningHours', 'days with hours of their own', '2026-12-24 08:00-12:00|2026-12-25 closed', specialDay),
  column('openingHoursNotes', 'what else is to say about the hours', ''),
  column('openingDate', 'day of the opening as YYYY-MM-DD', ''),
  list('keywords', 'words that people search for', 'Brot|Brötchen'),
  list('labels', 'names of labels', 'Nord|Franchise'),
  list('brands', 'brands', ''),
  list('paymentOptions', 'ways to pay', 'CASH|VISA'),
  list('languages', 'language codes', 'de|en'),
  list('attributes', 'what the location offers, as key=value', '', attribute),
  list('serviceAreas', 'places that are served', '', (entry) => ({ name: entry })),
  list('socialProfiles', 'profiles, as network=address', '', pair('type', 'url')),
  list('photos', 'addresses of photos', '', (entry) => ({ url: entry })),
  list('videos', 'addresses of videos', '', (entry) => ({ url: entry })),
  list('utms', 'what is added to the website, as directory=parameters', '', pair('type', 'parameters')),
  list('callTrackingNumbers', 'numbers that lead to the same phone', ''),
  list('customFields', 'fields of your own, as name=value', '', pair('name', 'value')),
];

/** A key alone is true of the location. */
function attribute(entry: string): unknown {
  const at = entry.indexOf('=');
  if (at < 0) return { key: entry, value: true };
  const value = entry.slice(at + 1).trim();
  return { key: entry.slice(0, at).trim(), value: words.get(value.toLowerCase()) ?? value };
}

/** Without these there are no locations in the file. */
export const requiredColumns = ['name', 'street', 'city', 'country', 'categories'] as const;
