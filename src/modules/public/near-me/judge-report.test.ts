import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { categoryId } from '../../catalog/categories/category.ts';
import { type Directory, findDirectory } from '../../directories/directory-list.ts';
import { expectedProfile, judgeDirectory, noResult, recommendationsOf, scoreOf } from './judge-report.ts';
import type { Business, Result } from './report.ts';

const business: Business = {
  name: 'Bäckerei Lindner',
  streetAndNo: 'Venloer Straße 310',
  zip: '50823',
  city: 'Köln',
  country: 'DE',
  categoryId: categoryId('shop/bakery'),
  phone: '+492219524300',
  website: null,
};
const expected = expectedProfile(business);
const complete = {
  ...expected,
  street: '310 Venloer Str.',
  website: 'https://lindner.example/',
  openingHours: [{ dayOfWeek: 7, closed: true }],
};

const judge = (profile: object, type = 'GOOGLE') =>
  judgeDirectory(
    findDirectory(type) as Directory,
    expected,
    [{ externalId: '1', url: 'https://x.example/1', profile: { ...complete, ...profile }, claim: 'CLAIMED_BY_OTHERS' }],
    '2026-11-15',
  );
const advice = (...results: Result[]) => recommendationsOf(results, (type) => type.toLowerCase());

describe('recommendations', () => {
  test('recommends nothing if all data is correct', () => {
    expect(advice(judge({}))).toEqual([
      { type: 'ALL_WELL', directoryTypes: [], message: 'All directories show the business correctly.' },
    ]);
  });

  test('reports given and recommended fields that are missing', () => {
    const results = [judge({ phone: undefined }), judge({ website: undefined, phone: undefined }, 'YELP')];
    expect(advice(...results)).toEqual([
      {
        type: 'COMPLETE_FIELD',
        field: 'phone',
        directoryTypes: ['GOOGLE', 'YELP'],
        message: 'The phone number is missing on google and yelp. Add it there.',
      },
      expect.objectContaining({ type: 'COMPLETE_FIELD', field: 'website', directoryTypes: ['YELP'] }),
    ]);
  });

  test('accepts the given category among others', () => {
    const other = judge({ categories: ['Cafe', 'bakery'] });
    expect(advice(other)).toMatchObject([{ type: 'ALL_WELL' }]);
    expect(other.fields).toContainEqual({
      field: 'categories',
      expected: 'Bakery',
      found: 'Cafe, bakery',
      status: 'MATCH',
    });
    expect(advice(judge({ categories: ['Cafe'] }))).toMatchObject([{ type: 'CORRECT_FIELD', field: 'categories' }]);
  });

  test('formats closed days', () => {
    expect(judge({}).fields.at(-1)).toEqual({ field: 'openingHours', found: 'Sun closed', status: 'PRESENT' });
  });
});

describe('the score', () => {
  const weights = { GOOGLE: 3, YELP: 1, BING: 1 };
  const weightOf = (type: string) => weights[type as keyof typeof weights];

  test('is the weighted share of matching fields', () => {
    const absent = judgeDirectory(findDirectory('YELP') as Directory, expected, [], '2026-11-15');
    expect(scoreOf([judge({}), absent], weightOf)).toBe(75);
    expect(scoreOf([judge({}), absent, noResult('BING', 'down')], weightOf)).toBe(75);
    expect(scoreOf([absent], weightOf)).toBe(0);
    expect(scoreOf([judge({})], weightOf)).toBe(100);
  });

  test('is below 100 if a directory lacks the business or a field', () => {
    const linkOnly = (status: 'FOUND' | 'NOT_FOUND'): Result => ({ ...noResult('BING', ''), status, message: null });
    expect(scoreOf([judge({}), linkOnly('NOT_FOUND')], weightOf)).toBeLessThan(100);
    expect(scoreOf([judge({}), linkOnly('FOUND')], weightOf)).toBe(100);
    const wrongZip = judge({ zip: '99999' }, 'YELP');
    expect(scoreOf([judge({}), wrongZip], (type) => (type === 'GOOGLE' ? 100_000 : 1))).toBe(99);
  });

  test('is null if no directory responded', () => {
    expect(scoreOf([], weightOf)).toBe(null);
    expect(scoreOf([noResult('BING', 'down')], weightOf)).toBe(null);
  });

  test('is between 0 and 100 for any listing', () => {
    const value = fc.option(fc.string({ maxLength: 30 }), { nil: undefined });
    const profile = fc.record({
      name: fc.string(),
      street: value,
      zip: value,
      city: value,
      phone: value,
      website: value,
    });
    fc.assert(
      fc.property(profile, (shown) => {
        const result = judge(shown);
        const score = scoreOf([result], weightOf) ?? 0;
        return score >= 0 && score <= 100 && result.matchingFields <= result.comparableFields;
      }),
    );
  });
});
