import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CsvRecord, CsvRecords, type FilePosition, RecordTooLong, readFields, rowsOf } from './csv-records.ts';

const start = { offset: 0, line: 1 };

function recordsOf(bytes: Buffer, { cuts = [], delimiter = ',' }: { cuts?: number[]; delimiter?: string } = {}) {
  const records = new CsvRecords(delimiter, { from: start, maxBytes: 1000 });
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const found: CsvRecord[] = [];
  for (const [index, place] of places.slice(0, -1).entries()) {
    found.push(...records.push(Buffer.from(bytes.subarray(place, places[index + 1]))));
  }
  return [...found, ...records.end()];
}

const text = ({ bytes }: CsvRecord) => bytes.toString();

test('splits at LF, CRLF and CR', () => {
  const records = recordsOf(Buffer.from('a,b\r\nc,d\ne,f\rg,h'));
  expect(records.map(text)).toEqual(['a,b', 'c,d', 'e,f', 'g,h']);
  expect(records.map(({ line }) => line)).toEqual([1, 2, 3, 4]);
});

test('keeps quoted line ends and skips blank lines', () => {
  const records = recordsOf(Buffer.from('a,"b\nc"\n\n"d ""e""\r\n",f\n'));
  expect(records.map(text)).toEqual(['a,"b\nc"', '"d ""e""\r\n",f']);
  expect(records.map(({ line }) => line)).toEqual([1, 4]);
});

test('ignores quotes inside an unquoted field', () => {
  expect(recordsOf(Buffer.from('5" pipe,x\ny,z')).map(text)).toEqual(['5" pipe,x', 'y,z']);
});

const rowsIn = (file: string, columns: number) =>
  recordsOf(Buffer.from(file)).flatMap((record) => rowsOf(record, ',', columns));

test('splits rows that an unclosed quote has joined', () => {
  const rows = rowsIn('a,"b,c\r\nd,e,f\r\n\r\ng,"h",i\r\nj,k,l', 3);
  expect(rows.map(text)).toEqual(['a,"b,c', 'd,e,f', '', 'g,"h",i', 'j,k,l']);
  expect(rows.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5]);
  expect(readFields(rows.slice(0, 2), ',')).toEqual([
    { fault: expect.stringContaining('unclosed quote on line 1') },
    { fields: ['d', 'e', 'f'] },
  ]);
  expect(rowsIn('a,"b,c\nd,e,f"\n', 3).map(text)).toEqual(['a,"b,c', 'd,e,f"']);
  expect(rowsIn('a,b,c\nd,"e,f\ng,h,i\n', 3).map(text)).toEqual(['a,b,c', 'd,"e,f', 'g,h,i', '']);
});

test('splits rows after an unclosed quote that no other quote closes, in any chunks', () => {
  const rows = Array.from({ length: 200 }, (_, row) => `${row},b,""c`);
  const file = Buffer.from(['x,y,z', 'a,"b,c', ...rows, 'a,b,"c', ...rows].join('\r\n'));
  const records = recordsOf(file);
  expect(records.slice(0, 3).map(text)).toEqual(['x,y,z', 'a,"b,c', '0,b,""c']);
  expect(records.filter(({ hasUnclosedQuote }) => hasUnclosedQuote).map(({ line }) => line)).toEqual([2, 203]);
  expect(records.map(({ line }) => line)).toEqual(Array.from({ length: 403 }, (_, index) => index + 1));
  fc.assert(
    fc.property(fc.array(fc.nat(file.length)), fc.nat(402), (cuts, index) => {
      expect(recordsOf(file, { cuts })).toEqual(records);
      const { next } = records[index] as CsvRecord;
      const rest = new CsvRecords(',', { from: next, maxBytes: 1000 });
      expect([...rest.push(file.subarray(next.offset)), ...rest.end()]).toEqual(records.slice(index + 1));
    }),
    { numRuns: 20 },
  );
});

test('splits any number of rows with unclosed quotes in linear time', () => {
  const rows = Array.from({ length: 20_000 }, () => 'a","b');
  const records = new CsvRecords(',', { from: start, maxBytes: 65_536 });
  const found = [...records.push(Buffer.from([...rows, '"', 'c,d'].join('\n'))), ...records.end()];
  expect(found.flatMap((record) => rowsOf(record, ',', 2)).map(text)).toEqual([...rows, '"', 'c,d']);
});

/** Reads every record from its start. */
function readOneByOne(file: Buffer, maxBytes: number): CsvRecord[] {
  const found: CsvRecord[] = [];
  for (let from: FilePosition | undefined = start; from; ) {
    const records = new CsvRecords(',', { from, maxBytes });
    const rest = file.subarray(from.offset);
    const record: CsvRecord | undefined = records.push(rest).next().value ?? records.end().next().value;
    if (record) found.push(record);
    from = record?.next;
  }
  return found;
}

test('reads a row after an unclosed quote like one at the start', () => {
  const row = fc.constantFrom('a","b', 'a,"b', '"a"b,c', '"a""b",c', 'a,b"', '"', '', 'a,b');
  fc.assert(
    fc.property(fc.array(row, { maxLength: 40 }), fc.constantFrom('\n', '\r\n', '\r'), (rows, lineEnd) => {
      const file = Buffer.from(rows.join(lineEnd));
      const records = new CsvRecords(',', { from: start, maxBytes: 40 });
      expect([...records.push(file), ...records.end()]).toEqual(readOneByOne(file, 40));
    }),
  );
});

test.each([
  ['with text like rows', 'a,"b\nc,d,e",f'],
  ['with a quote in another field', '5" pipe,"b\nc,d,e",f'],
  ['without the last fields', 'a,"b\nc,d"'],
  ['with CRLF after a quote', 'a,b,"c\nd,e,f"\r\n'],
])('does not split a record %s', (_, file) => {
  expect(rowsIn(file, 3)).toHaveLength(1);
});

test('rejects a record that is too long, in bounded memory', () => {
  const records = new CsvRecords(',', { from: start, maxBytes: 1000 });
  expect([...records.push(Buffer.from('a,b\n'))]).toHaveLength(1);
  const push = () => {
    for (let pushed = 0; pushed < 100; pushed += 1) expect([...records.push(Buffer.alloc(100, 'x'))]).toEqual([]);
  };
  expect(push).toThrow(new RecordTooLong(2));
});

const cell = fc.string({
  unit: fc.constantFrom('a', 'ü', '🥐', ' ', ',', ';', '"', '\n', '\r', '\t', '#'),
  maxLength: 8,
});
const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 });
const written = (cells: string[], delimiter: string) =>
  cells.map((value) => (/[",;\s]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)).join(delimiter);

test('reads any valid file in any chunks', () => {
  fc.assert(
    fc.property(
      table,
      fc.constantFrom(',', ';', '\t'),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.nat(500), { maxLength: 8 }),
      (rows, delimiter, lineEnd, cuts) => {
        const bytes = Buffer.from(rows.map((row) => written(row, delimiter)).join(lineEnd));
        const records = recordsOf(bytes, { cuts, delimiter });
        expect(readFields(records, delimiter)).toEqual(rows.map((fields) => ({ fields })));
      },
    ),
  );
});

test('resumes after any record', () => {
  fc.assert(
    fc.property(table, fc.array(fc.nat(500), { maxLength: 8 }), (rows, cuts) => {
      const bytes = Buffer.from(rows.map((row) => written(row, ',')).join('\r\n'));
      const records = recordsOf(bytes, { cuts });
      for (const [index, { next }] of records.entries()) {
        const rest = new CsvRecords(',', { from: next, maxBytes: 1000 });
        const found = [...rest.push(bytes.subarray(next.offset)), ...rest.end()];
        expect(found).toEqual(records.slice(index + 1));
      }
    }),
  );
});
