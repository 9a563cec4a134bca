import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCodePoint } from '../../../../test/support/any-code-point.ts';
import { Problem } from '../../../problems.ts';
import { extensionOf, readFileName } from './file-kind.ts';

describe('readFileName', () => {
  test.each([
    ['terrace.jpg', 'terrace.jpg'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\fakepath\\Sommer Terrasse.JPG', 'Sommer Terrasse.JPG'],
    ['/var/www/logo.png', 'logo.png'],
    ['  v1.2 of the menu.pdf ', 'v1.2 of the menu.pdf'],
    ['Cafe\u0301.png', 'Café.png'],
    ['.htaccess', '.htaccess'],
  ])('normalizes %j to %j', (given, name) => {
    expect(readFileName(given)).toBe(name);
  });

  test.each([
    ['', 'no name'],
    ['..', 'no name'],
    ['folder/', 'no name'],
    ['a\u0000b.png', 'U+0000'],
    ['a\r\nset-cookie: x.png', 'U+000D'],
    ['gpj.exe\u202eevil.jpg', 'U+202E'],
    ['zero\u200bwidth.png', 'U+200B. Remove control, zero-width and bidirectional characters.'],
    ['arabic\u061cmark.png', 'U+061C'],
    ['photo.jpg.exe', '.exe'],
    ['photo.php.jpg', '.php'],
    ['page.HTML .png', '.html'],
    [`${'x'.repeat(256)}.png`, 'The file name must have at most 255 characters.'],
  ])('rejects %j', (given, expectedText) => {
    expect(() => readFileName(given)).toThrow(Problem);
    expect(() => readFileName(given)).toThrow(expectedText);
  });

  test('removes folders and rejects control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCodePoint, maxLength: 40 }), (given) => {
        try {
          const name = readFileName(given);
          expect(name).not.toMatch(/[/\\\p{Cc}\p{Bidi_Control}]/u);
          expect(name.trim()).not.toBe('');
        } catch (error) {
          expect(error).toBeInstanceOf(Problem);
        }
      }),
    );
  });
});

test.each([
  ['a.JPG', 'jpg'],
  ['a.tar.gz', 'gz'],
  ['none', undefined],
])('the extension of %j is %j', (name, extension) => {
  expect(extensionOf(name)).toBe(extension);
});
