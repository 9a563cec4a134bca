import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCodePoint } from '../../../../../test/support/any-code-point.ts';
import { openWorkbook } from '../../../../../test/support/xlsx.ts';
import { maxCellLength, type PageSheet, type Row, type Sheet, type TableSheet } from './sheet.ts';
import { columnName } from './sheet-xml.ts';
import { workbook } from './workbook.ts';

const about = { title: 'Figures', creator: 'Waypost', created: new Date('2026-11-15T08:00:00Z') };
const made = (sheets: Sheet[], options = {}) => openWorkbook(workbook(sheets, about, options));

const table = (rows: TableSheet['rows']): TableSheet => ({
  kind: 'table',
  name: 'Locations',
  frozenColumns: 1,
  columns: [
    { title: 'Name', style: 'text', width: 30 },
    { title: 'Day', style: 'date', width: 12 },
    { title: 'Calls', style: 'integer', width: 10 },
    { title: 'Share', style: 'percent', width: 10 },
  ],
  rows,
});

describe('a table', () => {
  test('has cells with positions, types and formats', async () => {
    const { book, rows } = await made([
      table([
        ['Köln', '2026-10-31', 1234, 0.125],
        ['Łódź', null, 0, null],
      ]),
    ]);
    expect(book.SheetNames).toEqual(['Locations']);
    const sheet = book.Sheets.Locations ?? {};
    expect(sheet['!ref']).toBe('A1:D3');
    expect(sheet.A1).toMatchObject({ t: 's', v: 'Name' });
    expect(sheet.A2).toMatchObject({ t: 's', v: 'Köln' });
    // Serial day 45961 is 31 October 2025; a year later is 365 days more.
    expect(sheet.B2).toMatchObject({ t: 'n', v: 45_961 + 365, z: 'yyyy-mm-dd' });
    expect(sheet.C2).toMatchObject({ t: 'n', v: 1234, z: '#,##0', w: '1,234' });
    expect(sheet.D2).toMatchObject({ t: 'n', v: 0.125, z: '0.0%', w: '12.5%' });
    expect(rows('Locations')[2]).toEqual(['Łódź', null, 0]);
  });

  test('has a fixed header, filters, widths and a header on every printed page', async () => {
    const { book, parts } = await made([table([['a', null, 1, 1]])]);
    expect(book.Sheets.Locations?.['!autofilter']).toEqual({ ref: 'A1:D2' });
    expect(book.Sheets.Locations?.['!cols']?.map((column) => column.width)).toEqual([30, 12, 10, 10]);
    const xml = String(parts.get('xl/worksheets/sheet1.xml'));
    expect(xml).toContain('<pane xSplit="1" ySplit="1" topLeftCell="B2" activePane="bottomRight" state="frozen"/>');
    expect(String(parts.get('xl/workbook.xml'))).toContain("'Locations'!$1:$1");
  });

  test('continues on further sheets with the header', async () => {
    const lines = Array.from({ length: 7 }, (_, index): Row => [`row ${index}`, null, index, null]);
    const { book, rows } = await made([table(lines), { ...table([]), name: 'locations' }], { rowsPerSheet: 4 });
    expect(book.SheetNames).toEqual(['Locations', 'Locations (2)', 'Locations (3)', 'locations (4)']);
    const names = book.SheetNames.map((name) => rows(name).map(([first]) => first));
    expect(names).toEqual([
      ['Name', 'row 0', 'row 1', 'row 2'],
      ['Name', 'row 3', 'row 4', 'row 5'],
      ['Name', 'row 6'],
      ['Name'],
    ]);
  });

  test('that fills a sheet exactly has no further sheet', async () => {
    const { book } = await made(
      [
        table([
          ['a', null, 1, 1],
          ['b', null, 2, 1],
        ]),
      ],
      { rowsPerSheet: 3 },
    );
    expect(book.SheetNames).toEqual(['Locations']);
  });
});

describe('texts', () => {
  const written = async (texts: string[]) => {
    const { book } = await made([table(texts.map((text) => [text]))]);
    return texts.map((_text, index) => book.Sheets.Locations?.[`A${index + 2}`]);
  };

  test.each([
    '=HYPERLINK("http://evil.example","Click")',
    '+49 221 9524300',
    '-1+1',
    '@SUM(A1)',
    '=cmd|"/C calc"!A0',
    '</t></is></c><c><f>1+1</f></c>',
    '  spaces around  ',
    'two\nlines',
    '&amp; &#x41; <b>"quoted"</b>',
    '😀 emoji and Ελληνικά and 日本語',
    '_x0041_ is no letter',
  ])('%j stays the text that it is', async (text) => {
    const [cell] = await written([text]);
    expect(cell).toMatchObject({ t: 's', v: text });
    expect(cell?.f).toBeUndefined();
  });

  test('have line breaks as Excel writes them', async () => {
    const cells = await written(['two\r\nlines', 'a\rb']);
    expect(cells.map((cell) => cell?.v)).toEqual(['two\nlines', 'a\rb']);
  });

  test('that look like formulas stay text when edited', async () => {
    const { parts } = await made([table([['=1+1'], ['plain']])]);
    const style = (row: number /* biome-ignore lint/style/noNonNullAssertion: it is there */) =>
      new RegExp(`<c r="A${row}" s="(\\d+)"`).exec(String(parts.get('xl/worksheets/sheet1.xml')))![1];
    const formats = [...String(parts.get('xl/styles.xml')).matchAll(/<xf [^>]*xfId="0"[^>]*>/g)].map(([xf]) => xf);
    expect(formats[Number(style(2))]).toContain('quotePrefix="1"');
    expect(formats[Number(style(3))]).not.toContain('quotePrefix');
  });

  test('are truncated to the cell limit without splitting characters', async () => {
    const [long, exact, split] = await written([
      'x'.repeat(40_000),
      'y'.repeat(maxCellLength),
      `${'z'.repeat(maxCellLength - 2)}😀😀`,
    ]);
    expect(String(long?.v)).toBe(`${'x'.repeat(maxCellLength - 1)}…`);
    expect(String(exact?.v)).toHaveLength(maxCellLength);
    expect(String(split?.v)).toBe(`${'z'.repeat(maxCellLength - 2)}…`);
  });

  test('round-trip unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: anyCodePoint, minLength: 1 }), { minLength: 1, maxLength: 200 }),
        async (texts) => {
          const withoutCr = (text: string) => text.replaceAll('\r\n', '\n');
          const cells = await written(texts);
          expect(cells.map((cell) => cell?.v)).toEqual(
            // Once when it is written, once by the reader.
            texts.map((text) => withoutCr(withoutCr(text))),
          );
        },
      ),
      { numRuns: 8 },
    );
  });
});

describe('a page', () => {
  const page: PageSheet = {
    kind: 'page',
    name: "Bäcker's [summary]",
    widths: [20, 10],
    rows: [
      [{ value: 'Title', style: 'title' }],
      [
        { value: 'Day', style: 'header' },
        { value: 'Views', style: 'headerRight' },
      ],
      [
        { value: '2026-11-01', style: 'date' },
        { value: 10, style: 'integer' },
      ],
      [
        { value: '2026-11-02', style: 'date' },
        { value: 30, style: 'integer' },
      ],
    ],
    charts: [
      {
        kind: 'line',
        title: 'Views & more',
        categories: { column: 0, firstRow: 2, lastRow: 3 },
        series: [{ name: 'Views', values: { column: 1, firstRow: 2, lastRow: 3 } }],
        position: { column: 3, row: 1, columns: 6, rows: 12 },
      },
    ],
  };

  test('contains a native chart of its cells', async () => {
    const { book, parts } = await made([page, table([])]);
    expect(book.SheetNames).toEqual(["Bäcker's  summary", 'Locations']);
    const chart = String(parts.get('xl/charts/chart1.xml'));
    expect(chart).toContain('<c:lineChart>');
    expect(chart).toContain("<c:f>'Bäcker''s  summary'!$B$3:$B$4</c:f>");
    expect(chart).toContain('<c:pt idx="1"><c:v>30</c:v></c:pt>');
    expect(chart).toContain('<a:t>Views &amp; more</a:t>');
    expect(String(parts.get('xl/worksheets/_rels/sheet1.xml.rels'))).toContain('../drawings/drawing1.xml');
    expect(String(parts.get('xl/drawings/_rels/drawing1.xml.rels'))).toContain('../charts/chart1.xml');
    expect(String(parts.get('[Content_Types].xml'))).toContain('/xl/charts/chart1.xml');
    expect(parts.has('xl/worksheets/_rels/sheet2.xml.rels')).toBe(false);
  });

  test('gives each series of a chart another lightness, for prints without colours', async () => {
    const [chart] = page.charts as [(typeof page.charts)[number]];
    const series = Array.from({ length: 9 }, (_, index) => ({ ...chart.series[0], name: `Series ${index + 1}` }));
    const { parts } = await made([{ ...page, charts: [{ ...chart, series }] } as PageSheet]);
    const xml = String(parts.get('xl/charts/chart1.xml'));
    const colours = [...xml.matchAll(/<a:ln w="28575".*?<a:srgbClr val="(\w{6})"/g)].map(([, colour = '']) => colour);
    const levels = colours.map(lightnessOf).sort((a, b) => a - b);
    expect(levels).toHaveLength(9);
    for (const [index, level] of levels.slice(1).entries()) expect(level - (levels[index] ?? 0)).toBeGreaterThan(5);
  });
});

describe('rows', () => {
  test('are read on demand', async () => {
    let asked = 0;
    async function* endless(): AsyncGenerator<Row> {
      for (;;) {
        asked += 1;
        yield [`row ${asked} ${Math.random()}`, '2026-11-15', asked, 0.5];
      }
    }
    const stream = workbook([table(endless())], about);
    expect(asked).toBe(0);
    stream.read(0);
    await expect.poll(() => asked).toBeGreaterThan(0);
    // Without a reader, reading stops when the buffers are full.
    const standing = async () => {
      const before = asked;
      await new Promise((resolve) => setTimeout(resolve, 50));
      return asked - before;
    };
    await expect.poll(standing).toBe(0);
    expect(asked).toBeLessThan(50_000);
    stream.destroy();
  });

  test('are released when the reader disconnects', async () => {
    let isOpen: boolean | undefined;
    async function* endless(): AsyncGenerator<Row> {
      try {
        isOpen = true;
        for (;;) yield ['row', '2026-11-15', Math.random(), 0.5];
      } finally {
        isOpen = false;
      }
    }
    const stream = workbook([table(endless())], about);
    for await (const _chunk of stream) if (isOpen) break;
    await expect.poll(() => isOpen).toBe(false);
  });

  test('that fail abort the file', async () => {
    async function* broken(): AsyncGenerator<Row> {
      yield ['first'];
      throw new Error('The database went away.');
    }
    await expect(buffer(workbook([table(broken())], about))).rejects.toThrow('The database went away.');
    const failing = Readable.from([]) as unknown as AsyncIterable<Sheet>;
    expect(await buffer(workbook(failing, about))).toBeInstanceOf(Buffer);
  });
});

test('columns have spreadsheet names', () => {
  expect([0, 25, 26, 51, 52, 701, 702, 16_383].map(columnName)).toEqual([
    'A',
    'Z',
    'AA',
    'AZ',
    'BA',
    'ZZ',
    'AAA',
    'XFD',
  ]);
});

/** L* of CIELAB, 0 (black) to 100 (white). */
function lightnessOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 116 * Math.cbrt(0.2126 * red + 0.7152 * green + 0.0722 * blue) - 16;
}
