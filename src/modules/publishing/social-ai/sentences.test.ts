import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutAtSentence } from './sentences.ts';

describe('a text that is too long', () => {
  test('ends behind the last sentence that fits', () => {
    const text = 'Fresh bread every day. Rolls on Sundays! Do you know our cakes?';
    expect(cutAtSentence(text, 63, 'en')).toBe(text);
    expect(cutAtSentence(text, 62, 'en')).toBe('Fresh bread every day. Rolls on Sundays!');
    expect(cutAtSentence(text, 40, 'en')).toBe('Fresh bread every day. Rolls on Sundays!');
    expect(cutAtSentence(text, 39, 'en')).toBe('Fresh bread every day.');
  });

  test('ends behind a word when not even one sentence fits', () => {
    expect(cutAtSentence('Fresh bread every single day.', 15, 'en')).toBe('Fresh bread…');
    expect(cutAtSentence('Donaudampfschifffahrt', 6, 'de')).toBe('Donau…');
  });

  test('is never longer than asked and cuts no character in two', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.integer({ min: 1, max: 60 }), (text, most) => {
        const cut = cutAtSentence(text, most, 'en');
        expect(cut.length).toBeLessThanOrEqual(most);
        expect(cut.isWellFormed()).toBe(true);
        expect(text.trim().startsWith(cut.replace(/…$/, '').trimEnd())).toBe(true);
      }),
    );
  });
});
