import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  allCategories,
  categoryLanguages,
  categoryName,
  currentCategory,
  findCategory,
  findCategoryByPath,
  searchCategories,
} from './categories.ts';
import { buildCategories, type Category, readPresets } from './category.ts';

const all = [...allCategories().values()];
const at = (path: string) => findCategoryByPath(path) as Category;
const paths = (categories: readonly Category[]) => categories.map(({ path }) => path);

describe('ids', () => {
  test('are unique', () => {
    const built = buildCategories();
    expect(new Set(built.map(({ id }) => id)).size).toBe(built.length);
    expect(allCategories().size).toBe(built.length);
    expect(built.length).toBeGreaterThan(1500);
  });

  test('are positive 31-bit integers', () => {
    for (const { id } of all) expect(id).toBe(id & 0x7fff_ffff);
    expect(all.every(({ id }) => id > 0)).toBe(true);
  });

  // Locations store these ids: a change of their derivation would break every stored location.
  test.each([
    ['amenity/restaurant', 1721881545],
    ['amenity', 250482671],
    ['shop/bakery', 660800505],
    ['tourism/hotel', 2024298081],
  ])('the id of %s is stable', (path, id) => {
    expect(at(path).id).toBe(id);
  });
});

describe('tree', () => {
  test('every preset is a category below its nearest ancestor', () => {
    for (const path of readPresets().keys()) expect(findCategoryByPath(path)).toBeDefined();
    expect(at('amenity/fast_food/pizza').parent).toBe(at('amenity/fast_food').id);
    expect(at('amenity/fast_food').parent).toBe(at('amenity').id);
    expect(at('amenity').parent).toBeUndefined();
    for (const { parent } of all) if (parent !== undefined) expect(findCategory(parent)).toBeDefined();
  });

  test.each([
    'amenity/restaurant',
    'shop/bakery',
    'tourism/hotel',
    'amenity/dentist',
    'office/insurance',
    'craft/painter',
  ])('%s is selectable', (path) => expect(at(path).selectable).toBe(true));

  test.each(['amenity', 'shop', 'amenity/school', 'shop/fashion', 'highway/motorway', 'amenity/bench', 'natural/tree'])(
    '%s is not selectable: abstract, deprecated or without customers',
    (path) => expect(at(path).selectable).toBe(false),
  );

  test.each([
    ['amenity/school', 'education/school'],
    ['shop/fashion', 'shop/clothes'],
    ['amenity/embassy', 'office/diplomatic'],
    ['amenity/bus_station', 'public_transport/station_bus'],
    ['shop/fishmonger', 'shop/seafood'],
    ['amenity/gym', 'leisure/fitness_centre'],
  ])('%s was merged into %s', (old, current) => {
    expect(at(old)).toMatchObject({ selectable: false, mergedInto: at(current).id });
    expect(currentCategory(at(old).id)).toBe(at(current));
  });

  test('following mergedInto ends at a current category', () => {
    for (const { id } of all) expect(currentCategory(id)?.mergedInto).toBeUndefined();
    expect(currentCategory(1)).toBeUndefined();
  });
});

describe('names', () => {
  test('exist in every language of the package', { timeout: 60_000 }, () => {
    expect(categoryLanguages.length).toBeGreaterThan(100);
    for (const language of categoryLanguages) {
      for (const category of [at('amenity/restaurant'), at('shop/fishmonger'), at('shop')]) {
        expect(categoryName(category, language)).toMatch(/\S/);
      }
    }
  });

  test.each([
    ['de', 'Bäckerei'],
    ['de-AT', 'Bäckerei'],
    ['DE_at', 'Bäckerei'],
    ['fr', 'Boulangerie'],
    ['en', 'Bakery'],
    ['xx', 'Bakery'],
  ])('a bakery in %s is %s', (language, name) => {
    expect(categoryName(at('shop/bakery'), language)).toBe(name);
  });

  test('a deprecated category without a name uses its path', () => {
    expect(categoryName(at('shop/fishmonger'), 'de')).toBe('Fishmonger');
  });
});

describe('search', () => {
  const search = (query: string, language = 'en') => paths(searchCategories({ query, language }));

  test.each([
    ['bäckerei', 'de', 'shop/bakery'],
    ['BACKEREI', 'de', 'shop/bakery'],
    ['  bakery ', 'en', 'shop/bakery'],
    ['Boulan', 'fr', 'shop/bakery'],
    ['dentist', 'en', 'amenity/dentist'],
    ['レストラン', 'ja', 'amenity/restaurant'],
    ['gasthof', 'de', 'amenity/restaurant'],
  ])('"%s" in %s finds %s', (query, language, path) => {
    expect(search(query, language)).toContain(path);
  });

  test('ranks names before synonyms and full names before prefixes', () => {
    expect(search('restaurant')[0]).toBe('amenity/restaurant');
    expect(search('hotel')[0]).toBe('tourism/hotel');
  });

  test('finds nothing by punctuation', () => {
    expect(search('!!!')).toEqual([]);
    expect(search(' ').length).toBeGreaterThan(100);
  });

  test('ignores words of other languages', () => {
    expect(search('bäckerei', 'fr')).not.toContain('shop/bakery');
  });

  test('finds every current category first by its name, or next to categories with the same name', () => {
    for (const category of all.filter(({ mergedInto }) => mergedInto === undefined)) {
      const name = categoryName(category, 'de');
      const found = searchCategories({ query: name, language: 'de' }).filter(
        (other) => categoryName(other, 'de') === name,
      );
      expect(found).toContain(category);
    }
  });

  test('accepts any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom('en', 'de', 'ja', 'ar'), (query, language) => {
        expect(searchCategories({ query, language })).toBeInstanceOf(Array);
      }),
    );
  });

  test('filters by selectable, parent and merged', () => {
    expect(paths(searchCategories({ language: 'en', parent: at('amenity/fast_food').id }))).toContain(
      'amenity/fast_food/pizza',
    );
    expect(searchCategories({ language: 'en', parent: 0 }).every(({ parent }) => parent === undefined)).toBe(true);
    expect(searchCategories({ language: 'en', selectable: true }).every(({ selectable }) => selectable)).toBe(true);
    expect(search('fishmonger').includes('shop/fishmonger')).toBe(false);
    expect(
      paths(searchCategories({ language: 'en', query: 'fishmonger', includeMerged: true })).includes('shop/fishmonger'),
    ).toBe(true);
  });
});
