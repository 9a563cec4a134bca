import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCodePoint } from '../../../../../test/support/any-code-point.ts';
import { extractKeywords } from './extract-keywords.ts';

const formsOf = (text: string, language: string | null) => extractKeywords(text, language).map(({ form }) => form);
const stemsOf = (text: string, language: string | null) =>
  new Set(extractKeywords(text, language).map(({ stem }) => stem));

describe('the keywords of a review', () => {
  test.each([
    ['en', 'The rooms were very clean and the breakfast was great', ['rooms', 'clean', 'breakfast']],
    ['de', 'Die Brötchen sind sehr lecker und das Personal ist nett', ['brötchen', 'lecker', 'personal', 'nett']],
    [
      'fr',
      "L'accueil était très chaleureux et les croissants sont bons",
      ['accueil', 'chaleureux', 'croissants', 'bons'],
    ],
    ['es', 'El servicio y la comida son excelentes', ['servicio', 'comida', 'excelentes']],
    ['it', 'La pizza e il personale dell’hotel sono ottimi', ['pizza', 'personale', 'hotel', 'ottimi']],
    ['nl', 'De koffie en het gebak zijn heerlijk', ['koffie', 'gebak', 'heerlijk']],
    ['pt', 'O atendimento e a comida são ótimos', ['atendimento', 'comida', 'ótimos']],
  ])('in %s are what is left without the small words', (language, text, expected) => {
    expect(formsOf(text, language)).toEqual(expected);
  });

  test.each([
    ['en', 'waiter waiters', 'waiters'],
    ['de', 'freundliche freundlicher Freundlich', 'freundliches'],
    ['fr', 'serveuse serveuses', 'serveuses'],
    ['es', 'camarero camareros', 'camareros'],
    ['it', 'pizza pizze', 'pizze'],
    ['nl', 'vriendelijk vriendelijke', 'vriendelijk'],
    ['pt', 'garçom prato pratos', 'garçom prato'],
  ])('in %s are the same word in all its forms', (language, several, single) => {
    expect(stemsOf(several, language)).toEqual(stemsOf(single, language));
    expect(formsOf(several, language).length).toBe(single.split(' ').length);
  });

  test.each([
    ['en', 'Never disappoints. The first time I found something exactly as I wanted it, better than good. The best!'],
    ['de', 'Wir kommen seit Jahren hierher, genau was ich gesucht habe. Allein das ist gut, kann ich nur empfehlen.'],
    ['fr', 'Jamais déçu, exactement ce que je cherchais. Je recommande vivement, très bien.'],
    ['es', 'Es justo lo que buscaba, muy recomendable. Volveré con mi gente, gracias por todo.'],
    ['it', 'Prima volta qui e poi sempre: davvero quello che cercavo, consigliatissimo.'],
    ['nl', 'Precies wat ik zocht, echt een aanrader. Ik kom hier graag terug, heel goed.'],
    ['pl', 'Dokładnie to, czego szukałem. Gorąco polecam, chętnie wracamy.'],
  ])('in %s are topics: small words, praise and stories have none', (language, text) => {
    expect(formsOf(text, language)).toEqual([]);
  });

  test('include stop words that are review topics', () => {
    expect(formsOf('They got our order wrong, and the room was in no order. The bill came twice.', 'en')).toEqual([
      'order',
      'room',
      'bill',
    ]);
  });

  test('use the detected language if none is declared', () => {
    const [first] = extractKeywords('Das Brot ist sehr gut und der Kaffee ist auch gut', null);
    expect(first).toEqual({ language: 'de', stem: 'brot', form: 'brot' });
    expect(extractKeywords('The bread is good and the coffee is too', null)[0]?.language).toBe('en');
    expect(extractKeywords('Super Pizza', null)).toEqual([
      { language: 'und', stem: 'super', form: 'super' },
      { language: 'und', stem: 'pizza', form: 'pizza' },
    ]);
  });

  test('are not stemmed in unknown languages', () => {
    expect(extractKeywords('Pyszne pierogi', 'pl').map(({ stem }) => stem)).toEqual(['pyszne', 'pierogi']);
    expect(extractKeywords('Mjög góður fiskur', 'is').map(({ stem }) => stem)).toEqual(['mjög', 'góður', 'fiskur']);
  });

  test('are found in scripts without spaces', () => {
    expect(formsOf('このレストランの料理は美味しいです', 'ja')).toEqual(expect.arrayContaining(['レストラン', '料理']));
  });

  test('exclude URLs, e-mail addresses, numbers and single letters', () => {
    expect(
      formsOf('Phone 0221 9524300 or mail info@lindner.example, menu on https://lindner.example/a b', 'en'),
    ).toEqual(['phone', 'mail', 'menu']);
  });

  test('are unique words of the text, at most fifty', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCodePoint, maxLength: 100 }),
        fc.constantFrom(null, 'en', 'de', 'tr', 'ja', 'xx'),
        (text, said) => {
          const found = extractKeywords(text, said);
          expect(new Set(found.map(({ stem }) => stem)).size).toBe(found.length);
          expect(found.length).toBeLessThanOrEqual(50);
          for (const { form, stem } of found) {
            expect(form.isWellFormed() && !form.includes('\0') && stem !== '').toBe(true);
            expect(form.length).toBeGreaterThan(1);
          }
        },
      ),
    );
    expect(extractKeywords(Array.from({ length: 500 }, (_, n) => `word${n}`).join(' '), 'en')).toHaveLength(50);
  });
});
