import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutAtSentence } from './finish-text.ts';

describe('cutAtSentence', () => {
  test('ends after the last sentence that fits', () => {
    const text = 'Fresh bread every day. Rolls on Sundays! Do you know our cakes?';
    expect(cutAtSentence(text, 63, 'en')).toBe(text);
    expect(cutAtSentence(text, 62, 'en')).toBe('Fresh bread every day. Rolls on Sundays!');
    expect(cutAtSentence(text, 40, 'en')).toBe('Fresh bread every day. Rolls on Sundays!');
    expect(cutAtSentence(text, 39, 'en')).toBe('Fresh bread every day.');
  });

  test('ends after a word if no sentence fits', () => {
    expect(cutAtSentence('Fresh bread every single day.', 15, 'en')).toBe('Fresh bread…');
    expect(cutAtSentence('Donaudampfschifffahrt', 6, 'de')).toBe('Donau…');
  });

  test('never exceeds the limit and never splits a character', () => {
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
