import { extractText, getDocumentProxy } from 'unpdf';
import { expect, test } from 'vitest';
import { textsIn } from '../texts/report-texts.ts';
import { formatsOf } from './blocks.ts';
import { niceScale } from './charts.ts';
import { Paper, runsOf, writable } from './paper.ts';

const shown = (line: string) => runsOf(line).map(({ script, text }) => `${script}:${text}`);

test('a line in Latin, Greek or Cyrillic is one run', () => {
  for (const line of ['Bäckerei Lindner · 12 % – „Łódź“', 'Ελλάδα', 'Москва №1', '']) {
    expect(runsOf(line)).toEqual([{ script: 'latin', text: line }]);
  }
});

test('right-to-left text is in visual order with left-to-right numbers and names', () => {
  expect(shown('مخبز النور')).toEqual(['arabic:النور', 'latin: ', 'arabic:مخبز']);
  expect(shown('مخبز 24 (دبي)')).toEqual(['latin:(', 'arabic:دبي', 'latin:) ', 'latin:24', 'latin: ', 'arabic:مخبز']);
  expect(shown('Lindner مخبز')).toEqual(['latin:Lindner ', 'arabic:مخبز']);
  // Digits are reversed here, because the shaper reverses them again.
  expect(shown('تهران ۱۲')).toEqual(['arabic:۲۱', 'latin: ', 'arabic:تهران']);
  expect(shown('دبي ١٢')).toEqual(['arabic:٢١', 'latin: ', 'arabic:دبي']);
});

test('Chinese and Japanese use a separate font', () => {
  expect(shown('Lindner 面包店')).toEqual(['latin:Lindner ', 'han:面包店']);
  expect(shown('東京ベーカリー、１号店')).toEqual(['han:東京ベーカリー、１号店']);
});

test('Korean, Thai and Hebrew use separate fonts', () => {
  expect(shown('Lindner 빵집 1')).toEqual(['latin:Lindner ', 'hangul:빵집', 'latin: 1']);
  expect(shown('ร้านขนมปัง กรุงเทพ')).toEqual(['thai:ร้านขนมปัง', 'latin: ', 'thai:กรุงเทพ']);
  expect(shown('מאפיית לינדנר 12')).toEqual(['latin:12', 'latin: ', 'hebrew:לינדנר', 'latin: ', 'hebrew:מאפיית']);
});

test('unsupported letters become boxes', () => {
  expect(writable('ბათუმი 1 / दिल्ली / Lindner 😀 ★')).toBe('□□□□□□ 1 / □□□ / Lindner  ★');
  const known = 'Łódź مخبز 面包店 ＡＢＣ 빵집 กรุงเทพ לינדנר';
  expect(writable(known)).toBe(known);
});

async function paperWith(...lines: string[]): Promise<{ bytes: Buffer; text: string }> {
  const paper = new Paper({
    title: 'Report',
    texts: textsIn('en'),
    language: 'en',
    pages: 1,
    created: new Date(0),
  });
  paper.addPage();
  for (const [index, line] of lines.entries()) paper.write(line, 60, 100 + 30 * index, { size: 16, width: 300 });
  const bytes = Buffer.concat(await Array.fromAsync(paper.finish()));
  const document = await getDocumentProxy(new Uint8Array(bytes));
  return { bytes, text: (await extractText(document, { mergePages: true })).text };
}

const fontsOf = (bytes: Buffer) =>
  [
    ...new Set(
      bytes
        .toString('latin1')
        .matchAll(/\/FontName \/\w+\+([A-Za-z]+)/g)
        .map(([, name]) => name),
    ),
  ].sort();

test('a PDF contains the original text and only the required fonts', async () => {
  const lines = ['面包店 上海', 'مخبز النور', `${'长'.repeat(60)}end`, 'Bäckerei'];
  lines.push('빵집 서울'.normalize('NFD'), 'ร้านขนมปัง', 'מאפיית לינדנר');
  const { bytes, text } = await paperWith(...lines);
  expect(fontsOf(bytes)).toEqual([
    'ChocolateClassicalSans',
    'Heebo',
    'Inter',
    'NanumGothic',
    'NotoSansThai',
    'Vazirmatn',
  ]);
  for (const words of [
    '面包店',
    '上海',
    'مخبز',
    'النور',
    'Bäckerei',
    '长长长…',
    '빵집',
    '서울',
    'ร้านขนมปัง',
    'מאפיית',
    'לינדנר',
  ]) {
    expect(text).toContain(words);
  }
  expect(text).not.toContain('end');
  // Fonts are embedded as subsets.
  expect(bytes.length).toBeLessThan(100_000);
  expect(fontsOf((await paperWith('Lindner')).bytes)).toEqual(['Inter']);
});

test('the values of an axis are evenly spaced integers from zero', () => {
  expect(niceScale(0)).toEqual([0, 1]);
  expect(niceScale(4.3)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(niceScale(12)).toEqual([0, 5, 10, 15]);
  expect(niceScale(120)).toEqual([0, 25, 50, 75, 100, 125]);
  for (let largest = 1; largest < 3000; largest += 1) {
    const scale = niceScale(largest);
    expect(scale.every(Number.isInteger)).toBe(true);
    expect(scale.at(-1)).toBeGreaterThanOrEqual(largest);
    expect(scale.length).toBeLessThanOrEqual(6);
  }
});

test('the labels of an axis are exact', () => {
  expect(niceScale(1200).map(formatsOf('en-GB').short)).toEqual(['0', '250', '500', '750', '1k', '1.25k']);
});
