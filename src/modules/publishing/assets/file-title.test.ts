import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCodePoint } from '../../../../test/support/any-code-point.ts';
import { Problem } from '../../../problems.ts';
import { extensionOf, fileTitle } from './file-kind.ts';

describe('fileTitle', () => {
  test.each([
    ['terrace.jpg', 'terrace.jpg'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\fakepath\\Sommer Terrasse.JPG', 'Sommer Terrasse.JPG'],
    ['/var/www/logo.png', 'logo.png'],
    ['  v1.2 of the menu.pdf ', 'v1.2 of the menu.pdf'],
    ['Cafe\u0301.png', 'Café.png'],
    ['.htaccess', '.htaccess'],
  ])('normalizes %j to %j', (given, title) => {
    expect(fileTitle(given)).toBe(title);
  });

  test.each([
    ['', 'no name'],
    ['..', 'no name'],
    ['folder/', 'no name'],
    ['a\u0000b.png', 'U+0000'],
    ['a\r\nset-cookie: x.png', 'U+000D'],
    ['gpj.exe\u202eevil.jpg', 'U+202E'],
    ['zero\u200bwidth.png', 'U+200B'],
    ['photo.jpg.exe', '.exe'],
    ['photo.php.jpg', '.php'],
    ['page.HTML .png', '.html'],
    [`${'x'.repeat(256)}.png`, '255'],
  ])('rejects %j', (given, expectedText) => {
    expect(() => fileTitle(given)).toThrow(Problem);
    expect(() => fileTitle(given)).toThrow(expectedText);
  });

  test('removes folders and rejects control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCodePoint, maxLength: 40 }), (given) => {
        try {
          const title = fileTitle(given);
          expect(title).not.toMatch(/[/\\\p{Cc}\u202a-\u202e]/u);
          expect(title.trim()).not.toBe('');
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
])('the extension of %j is %j', (title, extension) => {
  expect(extensionOf(title)).toBe(extension);
});
