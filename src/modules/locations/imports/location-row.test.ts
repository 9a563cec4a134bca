import { describe, expect, test } from 'vitest';
import { allCategories, categoryName, findCategoryByPath } from '../../catalog/categories/categories.ts';
import { locationErrors } from '../location-rules.ts';
import { locationColumns, readHeader } from './location-columns.ts';
import { columnOfField, readRow } from './location-row.ts';

const bakery = findCategoryByPath('shop/bakery')?.id as number;
const cafe = findCategoryByPath('amenity/cafe')?.id as number;
const required = {
  businessId: '7',
  name: 'Bakery',
  street: 'Main',
  city: 'Köln',
  country: 'DE',
  categories: String(bakery),
};

/** Reads a row with these cells and the required ones. */
function inputOf(cells: Record<string, string>) {
  const all: Record<string, string> = { ...required, ...cells };
  const header = readHeader(Object.keys(all), { hasBusiness: false });
  const row = readRow({ fields: Object.values(all) }, header);
  if ('errors' in row) throw new Error(JSON.stringify(row.errors));
  return row.input;
}

test('ignores case and separators in column names', () => {
  const header = readHeader(
    ['Business ID', 'NAME', 'street', 'Street_No', 'city ', 'Country', 'categories', 'Monday From 1', 'Colour'],
    { hasBusiness: false },
  );
  expect(header.columns.map((column) => column?.name)).toEqual([
    'businessId',
    'name',
    'street',
    'streetNo',
    'city',
    'country',
    'categories',
    'mondayFrom1',
    undefined,
  ]);
  expect(header.unknown).toEqual(['Colour']);
});

test('reports missing and repeated columns', () => {
  expect(() => readHeader(['name', 'city'], { hasBusiness: false })).toThrow(
    /column street is missing.*column country is missing.*column categories is missing.*column businessId is missing/,
  );
  expect(() => readHeader(['name', 'street', 'city', 'country', 'categories'], { hasBusiness: true })).not.toThrow();
  expect(() => readHeader([...Object.keys(required), 'Name'], { hasBusiness: false })).toThrow(
    'name occurs more than once',
  );
});

test('reads every column of the template', () => {
  const header = readHeader(
    locationColumns.map(({ name }) => name),
    { hasBusiness: false },
  );
  expect(header.unknown).toEqual([]);
  expect(header.columns.every((column) => column !== undefined)).toBe(true);
});

test('parses numbers, booleans, lists and pairs', () => {
  expect(
    inputOf({
      lat: '50,94',
      lng: '6.95',
      addressDisplay: 'No',
      keywords: 'bread | rolls||',
      categories: `${bakery}|${cafe}`,
      labels: 'North|South',
      photos: 'https://example.com/a.jpg|https://example.com/b.jpg',
      attributes: 'wheelchair=yes|wifi|floor=2nd|seats=1',
      socialProfiles: 'FACEBOOK=https://facebook.com/x?a=b',
    }),
  ).toMatchObject({
    businessId: 7,
    lat: 50.94,
    lng: 6.95,
    addressDisplay: false,
    keywords: ['bread', 'rolls'],
    categories: [bakery, cafe],
    labels: ['North', 'South'],
    photos: [{ url: 'https://example.com/a.jpg' }, { url: 'https://example.com/b.jpg' }],
    attributes: [
      { key: 'wheelchair', value: true },
      { key: 'wifi', value: true },
      { key: 'floor', value: '2nd' },
      { key: 'seats', value: '1' },
    ],
    socialProfiles: [{ type: 'FACEBOOK', url: 'https://facebook.com/x?a=b' }],
  });
});

test('builds opening hours by day', () => {
  const input = inputOf({
    tuesdayFrom1: '09:00',
    tuesdayTo1: '12:00',
    tuesdayFrom2: '14:00',
    tuesdayTo2: '02:00',
    mondayFrom1: 'closed',
    sundayClosed: 'true',
    specialOpeningHours: '2026-12-24 08:00-12:00 13:00-14:00|2026-12-25 closed',
  });
  expect(input.openingHours).toEqual([
    { dayOfWeek: 1, closed: true },
    { dayOfWeek: 2, from1: '09:00', to1: '12:00', from2: '14:00', to2: '02:00' },
    { dayOfWeek: 7, closed: true },
  ]);
  expect(input.specialOpeningHours).toEqual([
    { date: '2026-12-24', from1: '08:00', to1: '12:00', from2: '13:00', to2: '14:00' },
    { date: '2026-12-25', closed: true },
  ]);
  expect(columnOfField('openingHours[1].to2', input)).toBe('tuesdayTo2');
  expect(columnOfField('openingHours[2]', input)).toBe('sundayFrom1');
  expect(columnOfField('keywords[3]', input)).toBe('keywords');
  expect(columnOfField('zip', input)).toBe('zip');
});

test('reads special hours with spaces around the hyphen', () => {
  expect(inputOf({ specialOpeningHours: '2026-12-24 08:00 - 12:00  13:00 - 14:00' }).specialOpeningHours).toEqual([
    { date: '2026-12-24', from1: '08:00', to1: '12:00', from2: '13:00', to2: '14:00' },
  ]);
});

test.each(['2026-12-24 08:00-12:00-14:00', '2026-12-24 08:00-09:00 10:00-11:00 12:00-13:00', '2026-12-24 08:00'])(
  'rejects the special hours %j',
  (specialOpeningHours) => {
    const errors = locationErrors(inputOf({ specialOpeningHours }));
    expect(errors.map(({ field }) => columnOfField(field, {}))).toEqual(['specialOpeningHours']);
  },
);

test('ignores empty cells', () => {
  expect(inputOf({ phone: '', keywords: '', mondayFrom1: ' ' })).toEqual({
    businessId: 7,
    name: 'Bakery',
    street: 'Main',
    city: 'Köln',
    country: 'DE',
    categories: [bakery],
  });
});

test('rejects a row with an empty required cell or too many cells', () => {
  const header = readHeader(Object.keys(required), { hasBusiness: false });
  expect(readRow({ fields: ['7', 'Bakery', '', 'Köln', 'DE', String(bakery)] }, header)).toMatchObject({
    errors: [{ field: 'street', rule: 'required' }],
  });
  expect(readRow({ fields: [...Object.values(required), 'x'] }, header)).toMatchObject({
    errors: [{ field: 'row', rule: 'columns' }],
  });
  expect(readRow({ fields: [...Object.values(required), ''] }, header)).toHaveProperty('input');
});

describe('categories', () => {
  const categoriesOf = (categories: string, country = 'DE') => inputOf({ categories, country }).categories;
  test('are resolved by name in English or the language of the country, by path and by id', () => {
    expect(categoriesOf('bakery|Café')).toEqual([bakery, cafe]);
    expect(categoriesOf('Bäckerei')).toEqual([bakery]);
    expect(categoriesOf('Boulangerie', 'FR')).toEqual([bakery]);
    expect(categoriesOf(`shop/bakery|${cafe}`)).toEqual([bakery, cafe]);
  });

  test('get suggestions when unknown', () => {
    expect(() => categoriesOf('bakerie')).toThrow('Category bakerie does not exist');
    expect(() => categoriesOf('1')).toThrow('Category 1 does not exist');
    expect(() => categoriesOf('pizza')).toThrow(/Category pizza does not exist\. Similar: .*Pizza/);
  });

  test('are listed by path when ambiguous', () => {
    const names = [...allCategories().values()]
      .filter(({ selectable, mergedInto }) => selectable && mergedInto === undefined)
      .map((category) => categoryName(category, 'en'));
    const [shared = ''] = names.filter((name, index) => names.indexOf(name) < index);
    expect(() => categoriesOf(shared)).toThrow(/Category .* is ambiguous\. Use one of these paths: [\w/]+, /);
  });
});

test('reports all errors of a row', () => {
  const cells = {
    ...required,
    name: '',
    categories: 'nonsense',
    zip: '1',
    email: 'not-an-address',
    mondayFrom1: '25:00',
    lat: 'x',
  };
  const header = readHeader(Object.keys(cells), { hasBusiness: false });
  const row = readRow({ fields: Object.values(cells) }, header);
  const errors = 'errors' in row ? row.errors : [];
  expect(errors.map(({ field }) => field).sort()).toEqual(['categories', 'email', 'lat', 'mondayFrom1', 'name', 'zip']);
  expect(errors.find(({ field }) => field === 'mondayFrom1')?.message).not.toContain('openingHours[');
});
