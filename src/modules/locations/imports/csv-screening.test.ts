import { expect, test } from 'vitest';
import { CsvScreening } from './csv-screening.ts';

/** Byte by byte when `apart`: results must not depend on chunk boundaries. */
function screen(content: string | Buffer, apart = false) {
  const bytes = Buffer.from(content);
  const screening = new CsvScreening();
  const size = apart ? 1 : Math.max(1, bytes.length);
  for (let at = 0; at < bytes.length; at += size) screening.push(bytes.subarray(at, at + size));
  return screening.end();
}

const complaintOf = (content: string | Buffer, apart = false) => {
  try {
    screen(content, apart);
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
};

test.each([false, true])('finds header, delimiter and rows after a byte-order mark and comments', (apart) => {
  const file = '\uFEFF# Columns, with a comment; and more\r\n\r\nName;Street No\r\n"A;\r\nB";1\r\n;\r\nC;2';
  const screened = screen(file, apart);
  expect(screened).toMatchObject({ delimiter: ';', header: ['Name', 'Street No'], rows: 2 });
  const { offset, line } = screened.firstRow;
  expect(Buffer.from(file).subarray(offset).toString()).toBe('"A;\r\nB";1\r\n;\r\nC;2');
  expect(line).toBe(4);
});

test('detects comma, semicolon, tab and sep=', () => {
  expect(screen('a,b,c\n1,2,3').delimiter).toBe(',');
  expect(screen('a;b;c\n1;2;3').delimiter).toBe(';');
  expect(screen('a\tb\tc\n1\t2\t3').delimiter).toBe('\t');
  expect(screen('"a,b,c";d;e\n').delimiter).toBe(';');
  expect(screen('sep=;\na;b\n1;2').header).toEqual(['a', 'b']);
});

test.each([false, true])('reports line and offset of invalid UTF-8', (apart) => {
  const latin1 = Buffer.concat([Buffer.from('name,city\nA,Berlin\nB,K'), Buffer.from([0xf6]), Buffer.from('ln\n')]);
  expect(complaintOf(latin1, apart)).toContain('line 3, byte 23 of the file');
  const cut = Buffer.from('name\nKö').subarray(0, -1);
  expect(complaintOf(cut, apart)).toContain('not UTF-8: line 2, byte 7');
  const inHeader = Buffer.from([0x6e, 0xfc, 0x0a]);
  expect(complaintOf(inHeader, apart)).toContain('line 1, byte 2');
});

test('accepts characters split across chunks', () => {
  expect(screen('näme,🥐\nKöln,日本\n', true)).toMatchObject({ header: ['näme', '🥐'], rows: 1 });
});

test('names other file formats', () => {
  expect(complaintOf(Buffer.from('\uFEFFa,b', 'utf16le'))).toContain('UTF-16');
  expect(complaintOf(Buffer.from('PK\x03\x04....'))).toContain('Excel workbook');
  expect(complaintOf('')).toContain('empty');
  expect(complaintOf('# only a comment\n')).toContain('empty');
});

test('accepts a file with an unclosed quote, except in its header', () => {
  expect(screen('a,b\n1,2\n3,"4\n5,6\n').rows).toBe(3);
  expect(screen('a,b\n1,2\n3,"').rows).toBe(2);
  expect(complaintOf('a,"b\n1,2\n')).toContain('header on line 1 has an unbalanced quote');
});

test('rejects an endless line as soon as it is too long', () => {
  const screening = new CsvScreening();
  screening.push(Buffer.from('name,city\n'));
  const chunk = Buffer.alloc(16 * 1024, 'x');
  let pushed = 0;
  expect(() => {
    for (; pushed < 10_000; pushed += 1) screening.push(chunk);
  }).toThrow('line 2 is longer than 64 KiB');
  expect(pushed).toBeLessThan(6);
  expect(complaintOf(Buffer.alloc(200 * 1024, 'x'))).toContain('line 1 is longer');
});
