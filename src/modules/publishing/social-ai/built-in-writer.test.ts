import { describe, expect, test } from 'vitest';
import { diceOf } from '../../../../test/support/dice.ts';
import type { Directory } from '../../directories/directory.ts';
import { findDirectory } from '../../directories/directory-list.ts';
import { builtInLanguages } from './built-in-phrases.ts';
import { composePost } from './built-in-writer.ts';
import { lengths, tones } from './content-request.ts';
import type { LocationFacts } from './location-facts.ts';
import type { Order } from './writer.ts';

const facts: LocationFacts = {
  name: 'Bäckerei Lindner',
  city: 'Köln',
  country: 'DE',
  categories: ['Bäckerei'],
  openToday: { date: '2026-11-16', hours: '08:00–18:00' },
  services: ['Catering', 'Torten'],
  website: 'https://lindner.example/',
  own: { phones: [], emails: [], links: ['https://lindner.example/'] },
};
const order: Order = {
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

test('what is known of the location is in a long text, in order', () => {
  expect(composePost(order, () => 0)).toBe(
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

  test.each(all)('$language, $tone: no gap is left open, and variants differ', ({ language, tone }) => {
    for (const length of lengths) {
      const texts = [0, 1, 2].map((variant) =>
        composePost({ ...order, language, tone, length, variant }, diceOf(variant)),
      );
      expect(new Set(texts).size).toBe(3);
      for (const text of texts) {
        expect(text.toLowerCase()).toContain('fresh bread');
        expect(text).not.toMatch(/[{}]|undefined/);
      }
    }
  });

  /** How a language speaks to one whom it knows, and to one whom it does not. */
  const address: Record<string, [familiar: RegExp, polite: RegExp]> = {
    de: [/\b(ihr|euch|kommt|schaut|sagt|seid)\b/i, /\b(Sie|Ihnen|Ihre)\b/],
    es: [/\b(ven|ti|te|deja|digas|pásate|has)\b/i, /\b(su|sus|presentarle|póngase|pregúntenos|encuentra)\b/i],
    nl: [/\bje\b/i, /\b(u|uw)\b/i],
  };

  test.each(all.filter(({ language }) => address[language]))('$language, $tone: speaks to one and the same', (one) => {
    const [familiar, polite] = address[one.language] as [RegExp, RegExp];
    for (let variant = 0; variant < 3; variant++) {
      const text = composePost({ ...order, ...one, variant }, diceOf(variant));
      expect([familiar, polite].filter((words) => words.test(text)).length, text).toBeLessThan(2);
    }
  });

  test('no two languages say the same', () => {
    const texts = builtInLanguages.map((language) => composePost({ ...order, language }, () => 0));
    expect(new Set(texts).size).toBe(builtInLanguages.length);
  });
});

test('the same dice make the same text', () => {
  expect(composePost(order, diceOf(7))).toBe(composePost(order, diceOf(7)));
  const texts = Array.from({ length: 20 }, (_, seed) => composePost(order, diceOf(seed)));
  expect(new Set(texts).size).toBe(3);
});

test('sentences about what is not known are left out', () => {
  const text = composePost({ ...order, keywords: [], facts: undefined }, () => 0);
  expect(text).toBe('Fresh bread: come by and see for yourself!\nWe look forward to seeing you!');
  const closed = { ...facts, openToday: { date: '2026-11-16', hours: '' } };
  expect(composePost({ ...order, facts: closed }, () => 0)).not.toContain('Open on');
});

test('words that look like a gap are words', () => {
  const text = composePost({ ...order, topic: '{website} $& $1', length: 'SHORT', keywords: [] }, () => 0);
  expect(text).toMatch(/^\{website\} \$& \$1: come by/);
});

test('emoji come when they are asked for', () => {
  expect(composePost(order, () => 0)).not.toMatch(/\p{Extended_Pictographic}/u);
  expect(composePost({ ...order, emoji: true }, () => 0).match(/\p{Extended_Pictographic}/gu)).toHaveLength(2);
});
