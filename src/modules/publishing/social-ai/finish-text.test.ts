import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Directory, directoryList, findDirectory } from '../../directories/directory-list.ts';
import type { LocationFacts, TextSpec } from './content-request.ts';
import { finishText } from './finish-text.ts';

const facts: LocationFacts = {
  name: 'Bäckerei Lindner',
  city: 'Köln',
  country: 'DE',
  categories: ['Bakery'],
  services: [],
  website: 'https://www.lindner.example/',
  contacts: {
    phones: ['+492219524300'],
    emails: ['info@lindner.example'],
    links: ['https://www.lindner.example/', 'https://www.facebook.com/lindner'],
  },
};
const spec: TextSpec = {
  topic: 'Fresh bread',
  tone: 'FRIENDLY',
  language: 'en',
  length: 'MEDIUM',
  keywords: [],
  hashtags: false,
  emoji: false,
  directory: findDirectory('GOOGLE') as Directory,
  variant: 0,
  facts,
};

function finished(text: string, changes: Partial<TextSpec> = {}) {
  const result = finishText({ ...spec, ...changes }, 'a-model', text);
  if ('rejected' in result) throw new Error(result.rejected);
  return result;
}

describe('contacts', () => {
  test.each([
    'https://evil.example/win',
    'www.evil.example',
    'evil.example/win',
    'EVIL.COM',
    'https://www.lindner.example/made-up',
    'https://www.lindner.example.evil.example/',
    'https://lindner.example@evil.example/',
    'boss@evil.example',
    '+49 30 901820',
    '0221 9524301',
    '+1 (212) 555-0100',
    '0049 30 901820',
  ])('removes a sentence with %s and warns', (contact) => {
    const { content, warnings } = finished(`Fresh bread is here. Ask at ${contact} for more! See you soon.`);
    expect(content.text).toBe('Fresh bread is here. See you soon.');
    expect(content.characterCount).toBe(content.text.length);
    expect(warnings).toEqual([expect.stringContaining('GOOGLE')]);
  });

  test.each([
    'https://www.lindner.example/',
    'https://lindner.example',
    'www.lindner.example',
    'lindner.example',
    'https://www.facebook.com/lindner',
    'info@lindner.example',
    '0221 9524300',
    '+49 221 9524300',
  ])('keeps %s, which belongs to the location', (contact) => {
    const text = `Fresh bread is here. Ask at ${contact}, we are there.`;
    expect(finished(text)).toMatchObject({ content: { text }, warnings: [] });
  });

  test.each([
    'Open on Monday 08:00–12:00, 14:00–18:00.',
    'On 24.12.2026 we close at 2 p.m.',
    'On 2026-12-24 it is 10.00-18.00.',
    'Only 3.50 € for 1,000 g, e.g. rye.',
    'Rated 4.9/5 by 12 345 guests.',
  ])('does not treat %s as a contact', (text) => {
    expect(finished(text).content.text).toBe(text);
  });

  test('removes every contact if no location is given', () => {
    const text = 'Fresh bread. Visit www.lindner.example now.';
    expect(finished(text, { facts: undefined }).content.text).toBe('Fresh bread.');
  });

  test('rejects a text that contains only a foreign contact', () => {
    expect(finishText(spec, 'a-model', 'Go to https://evil.example/win')).toHaveProperty('rejected');
  });

  test('keeps line breaks', () => {
    const { content } = finished('Fresh bread.\n\nOrder: evil.example\nSee you soon.');
    expect(content.text).toBe('Fresh bread.\n\nSee you soon.');
  });
});

describe('hashtags', () => {
  test('are moved to the last line without duplicates', () => {
    const { content } = finished('Fresh #bread today.\n\n#bread #Köln #Bread', { hashtags: true });
    expect(content.text).toBe('Fresh bread today.\n\n#bread #Köln');
    expect(content.hashtags).toEqual(['#bread', '#Köln']);
  });

  test('that were not requested become words', () => {
    expect(finished('Fresh #bread today.\n#bread #Köln').content).toMatchObject({
      text: 'Fresh bread today.',
      hashtags: [],
    });
  });

  test('followed by a word become words', () => {
    const words = Array.from({ length: 60 }, (_, at) => `word${at}`);
    const { content } = finished(`${words.map((word) => `#${word}`).join(' , ')} and bread.`);
    expect(content).toMatchObject({ text: `${words.join(' , ')} and bread.`, hashtags: [] });
  });

  test('from the request replace those of the writer', () => {
    const { content } = finished('Fresh bread. #made #up', { hashtags: ['rye bread', '#köln', '!'] });
    expect(content.hashtags).toEqual(['#RyeBread', '#Köln']);
  });

  test('are generated from the data when the writer has none', () => {
    const { content } = finished('Fresh bread.', { hashtags: true, keywords: ['sour dough'] });
    expect(content.hashtags).toEqual(['#SourDough', '#Bakery', '#Köln', '#BäckereiLindner']);
  });
});

describe('decoration by models', () => {
  test.each([
    ['"Fresh bread."'],
    ['„Fresh bread.“'],
    ['```\nFresh bread.\n```'],
    ['<think>What shall I write?</think>\n\nFresh bread.'],
    ['  Fresh bread.\u0000\u0007 \r\n'],
    ['\u202eFresh\u2066 bread.'],
  ])('removes %j', (text) => {
    expect(finished(text).content.text).toBe('Fresh bread.');
  });

  test.each(['', '   ', '!!!', '12', '<data>{"topic":"x"}</data> Fresh bread'])('rejects %j', (text) => {
    expect(finishText(spec, 'a-model', text)).toHaveProperty('rejected');
  });
});

test.each(['a', '+1', 'a.', 'a@', '1 ', '#a ', '\n ', 'x, '])(
  'truncates or rejects 50,000 characters of %j',
  (part) => {
    const directory = findDirectory('FACEBOOK') as Directory;
    const result = finishText({ ...spec, directory }, 'a-model', `Fresh bread. ${part.repeat(50_000 / part.length)}!`);
    if ('content' in result) expect(result.content.text).toMatch(/^Fresh bread/);
    else expect(result.rejected).toContain('contacts');
  },
);

test("never exceeds the directory's limit", () => {
  const supporting = directoryList.filter(({ supports }) => supports.socialPosts);
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 120 }), { maxLength: 60 }),
      fc.constantFrom(...supporting),
      fc.constantFrom(true, false, ['one', 'two words']),
      (parts, directory, hashtags) => {
        const result = finishText({ ...spec, directory, hashtags }, 'a-model', parts.join('. '));
        if ('rejected' in result) return;
        const { text, characterCount, hashtags: shown } = result.content;
        expect(characterCount).toBe(text.length);
        expect(text.length).toBeLessThanOrEqual(directory.postMaxLength);
        expect(text.isWellFormed()).toBe(true);
        for (const tag of shown) expect(text).toContain(tag);
      },
    ),
    { numRuns: 50 },
  );
});
