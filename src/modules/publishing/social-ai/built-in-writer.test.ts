import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../../test/support/seeded-random.ts';
import { type Directory, findDirectory } from '../../directories/directory-list.ts';
import { builtInLanguages, composePost } from './built-in-writer.ts';
import { type LocationFacts, lengths, type TextSpec, tones } from './content-request.ts';

const facts: LocationFacts = {
  name: 'Bäckerei Lindner',
  city: 'Köln',
  country: 'DE',
  categories: ['Bäckerei'],
  openToday: { date: '2026-11-16', hours: '08:00–18:00' },
  services: ['Catering', 'Torten'],
  website: 'https://lindner.example/',
  contacts: { phones: [], emails: [], links: ['https://lindner.example/'] },
};
const spec: TextSpec = {
  topic: 'fresh bread.',
  tone: 'FRIENDLY',
  language: 'en',
  length: 'LONG',
  keywords: ['rye', 'spelt'],
  hashtags: false,
  emoji: false,
  directory: findDirectory('GOOGLE') as Directory,
  variant: 0,
  facts,
};

test('a long text contains all data of the location in order', () => {
  expect(composePost(spec, () => 0)).toBe(
    [
      'Fresh bread: come by and see for yourself!',
      'You find us at Bäckerei Lindner in Köln.',
      'All about rye and spelt.',
      'We are here for you: Bäckerei.',
      'Among our services: Catering and Torten.',
      'Open on Monday, November 16: 08:00–18:00.',
      'More at https://lindner.example/',
      'We look forward to seeing you!',
    ].join('\n'),
  );
});

describe('in every language and tone', () => {
  const all = builtInLanguages.flatMap((language) => tones.map((tone) => ({ language, tone })));

  test.each(all)('$language, $tone: fills all placeholders, and variants differ', ({ language, tone }) => {
    for (const length of lengths) {
      const texts = [0, 1, 2].map((variant) =>
        composePost({ ...spec, language, tone, length, variant }, seededRandom(variant)),
      );
      expect(new Set(texts).size).toBe(3);
      for (const text of texts) {
        expect(text.toLowerCase()).toContain('fresh bread');
        expect(text).not.toMatch(/[{}]|undefined/);
      }
    }
  });

  /** Informal and formal address by language. */
  const address: Record<string, [familiar: RegExp, polite: RegExp]> = {
    de: [/\b(ihr|euch|kommt|schaut|sagt|seid)\b/i, /\b(Sie|Ihnen|Ihre)\b/],
    es: [/\b(ven|ti|te|deja|digas|pásate|has)\b/i, /\b(su|sus|presentarle|póngase|pregúntenos|encuentra)\b/i],
    nl: [/\bje\b/i, /\b(u|uw)\b/i],
  };

  test.each(all.filter(({ language }) => address[language]))('$language, $tone: uses one form of address', (one) => {
    const [familiar, polite] = address[one.language] as [RegExp, RegExp];
    for (let variant = 0; variant < 3; variant++) {
      const text = composePost({ ...spec, ...one, variant }, seededRandom(variant));
      expect([familiar, polite].filter((words) => words.test(text)).length, text).toBeLessThan(2);
    }
  });

  test('languages have different texts', () => {
    const texts = builtInLanguages.map((language) => composePost({ ...spec, language }, () => 0));
    expect(new Set(texts).size).toBe(builtInLanguages.length);
  });
});

test('the same random numbers produce the same text', () => {
  expect(composePost(spec, seededRandom(7))).toBe(composePost(spec, seededRandom(7)));
  const texts = Array.from({ length: 20 }, (_, seed) => composePost(spec, seededRandom(seed)));
  expect(new Set(texts).size).toBe(3);
});

test('omits sentences without data', () => {
  const text = composePost({ ...spec, keywords: [], facts: undefined }, () => 0);
  expect(text).toBe('Fresh bread: come by and see for yourself!\nWe look forward to seeing you!');
  const closed = { ...facts, openToday: { date: '2026-11-16', hours: '' } };
  expect(composePost({ ...spec, facts: closed }, () => 0)).not.toContain('Open on');
});

test('writes about a topic of punctuation marks', () => {
  expect(composePost({ ...spec, topic: '!!!', length: 'SHORT', keywords: [] }, () => 0)).toMatch(/^!!!: come by/);
});

test('does not expand placeholders in user input', () => {
  const text = composePost({ ...spec, topic: '{website} $& $1', length: 'SHORT', keywords: [] }, () => 0);
  expect(text).toMatch(/^\{website\} \$& \$1: come by/);
});

test('uses emoji on request', () => {
  expect(composePost(spec, () => 0)).not.toMatch(/\p{Extended_Pictographic}/u);
  expect(composePost({ ...spec, emoji: true }, () => 0).match(/\p{Extended_Pictographic}/gu)).toHaveLength(2);
});
