import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allCategories, categoryName, currentCategory, findCategory, findCategoryByPath } from './categories.ts';
import type { Category } from './category.ts';
import { buildCategories } from './category-tree.ts';
import { categoryLanguages } from './category-words.ts';
import { searchCategories } from './search-categories.ts';
import { readPresets } from './tagging-schema.ts';

const all = [...allCategories().values()];
const at = (path: string) => findCategoryByPath(path) as Category;
const paths = (categories: readonly Category[]) => categories.map(({ path }) => path);

describe('ids', () => {
  test('no two categories of the package share one', () => {
    const built = buildCategories();
    expect(new Set(built.map(({ id }) => id)).size).toBe(built.length);
    expect(allCategories().size).toBe(built.length);
    expect(built.length).toBeGreaterThan(1500);
  });

  test('they are positive integers of 31 bits', () => {
    for (const { id } of all) expect(id).toBe(id & 0x7fff_ffff);
    expect(all.every(({ id }) => id > 0)).toBe(true);
  });

  // Locations keep these numbers: whoever changes how they are derived changes every stored location.
  test.each([
    ['amenity/restaurant', 1721881545],
    ['amenity', 250482671],
    ['shop/bakery', 660800505],
    ['tourism/hotel', 2024298081],
  ])('%s has the id it has always had', (path, id) => {
    expect(at(path).id).toBe(id);
  });
});

describe('the tree', () => {
  test('every preset is a category, and hangs below the nearest one above it', () => {
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
  ])('%s can be chosen for a location', (path) => expect(at(path).selectable).toBe(true));

  test.each(['amenity', 'shop', 'amenity/school', 'shop/fashion', 'highway/motorway', 'amenity/bench', 'natural/tree'])(
    '%s cannot: it is abstract, given up, or nothing that customers go to',
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

  test('following a merger always ends at a category that is not merged itself', () => {
    for (const { id } of all) expect(currentCategory(id)?.mergedInto).toBeUndefined();
    expect(currentCategory(1)).toBeUndefined();
  });
});

describe('names', () => {
  test('there is one in every language of the package', { timeout: 60_000 }, () => {
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

  test('what was given up before it had a name is called by its path', () => {
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

  test('the name comes before words that mean it, and whole names before beginnings', () => {
    expect(search('restaurant')[0]).toBe('amenity/restaurant');
    expect(search('hotel')[0]).toBe('tourism/hotel');
  });

  test('words of another language do not count', () => {
    expect(search('bäckerei', 'fr')).not.toContain('shop/bakery');
  });

  test('every current category is found first or beside its namesakes by its own name', () => {
    for (const category of all.filter(({ mergedInto }) => mergedInto === undefined)) {
      const name = categoryName(category, 'de');
      const found = searchCategories({ query: name, language: 'de' }).filter(
        (other) => categoryName(other, 'de') === name,
      );
      expect(found).toContain(category);
    }
  });

  test('it never fails, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom('en', 'de', 'ja', 'ar'), (query, language) => {
        expect(searchCategories({ query, language })).toBeInstanceOf(Array);
      }),
    );
  });

  test('filters narrow: what can be chosen, what lies below, what was merged', () => {
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
