import { isUtf8 } from 'node:buffer';
import { invalidField, type Problem } from '../../../problems.ts';
import {
  type CsvRecord,
  CsvRecords,
  type FilePosition,
  lineEnd,
  RecordTooLong,
  readFields,
  rowsOf,
} from './csv-records.ts';

/** Ten times more than a location needs. An unclosed quote buffers no more than this. */
export const maxRecordBytes = 64 * 1024;

/** Result of screening a complete file. */
export interface Screened {
  delimiter: string;
  /** Column names as written. */
  header: string[];
  firstRow: FilePosition;
  rows: number;
}

/** Validates encoding, header and record sizes while a file is uploaded, in constant memory. Throws at the first error. */
export class CsvScreening {
  readonly #encoding = new Utf8Check();
  #head: Buffer = Buffer.alloc(0);
  #records: CsvRecords | undefined;
  #delimiter = ',';
  #header: { names: string[]; next: FilePosition } | undefined;
  #rows = 0;
  #bytes = 0;

  push(chunk: Buffer): void {
    if (this.#bytes === 0) rejectOtherFormats(chunk);
    const wrong = this.#encoding.push(chunk);
    const good = wrong === undefined ? chunk : chunk.subarray(0, Math.max(0, wrong));
    this.#consume(good, false);
    this.#bytes += good.length;
    if (wrong === undefined) return;
    throw notUtf8(this.#lineNow(), this.#bytes + Math.min(0, wrong), wrong < 0 ? undefined : chunk[wrong]);
  }

  end(): Screened {
    if (this.#encoding.isIncomplete) throw notUtf8(this.#lineNow(), this.#bytes - 1);
    this.#consume(Buffer.alloc(0), true);
    if (this.#records) this.#count(this.#records.end());
    if (!this.#header)
      throw invalidField('file', 'empty', 'The file is empty. The first line must contain the column names.');
    return {
      delimiter: this.#delimiter,
      header: this.#header.names,
      firstRow: this.#header.next,
      rows: this.#rows,
    };
  }

  #consume(chunk: Buffer, isWhole: boolean): void {
    if (this.#records) {
      this.#count(this.#records.push(chunk));
      return;
    }
    this.#head = Buffer.concat([this.#head, chunk]);
    const head = findHead(this.#head, isWhole);
    if (!head) {
      if (this.#head.length > maxRecordBytes) throw tooLong(this.#lineNow());
      return;
    }
    this.#delimiter = head.delimiter;
    this.#records = new CsvRecords(head.delimiter, { from: head.header, maxBytes: maxRecordBytes });
    this.#count(this.#records.push(this.#head.subarray(head.header.offset)));
    this.#head = Buffer.alloc(0);
  }

  #count(records: Iterable<CsvRecord>): void {
    try {
      for (const record of records) {
        if (!this.#header) this.#header = { names: headerOf(record, this.#delimiter), next: record.next };
        else this.#rows += filledRows(record, this.#delimiter, this.#header.names.length).length;
      }
    } catch (error) {
      throw error instanceof RecordTooLong ? tooLong(error.line) : error;
    }
  }

  #lineNow(): number {
    return this.#records?.line ?? this.#head.toString('latin1').split(/\r\n|\n|\r/).length;
  }
}

/** The rows of a record that are not blank. */
export const filledRows = (record: CsvRecord, delimiter: string, columns: number): CsvRecord[] =>
  rowsOf(record, delimiter, columns).filter((row) => !isBlank(row, delimiter));

/** Spreadsheets write rows of delimiters for cleared cells. */
function isBlank({ bytes }: CsvRecord, delimiter: string): boolean {
  const separator = delimiter.charCodeAt(0);
  return bytes.every((byte) => byte === separator || byte === 0x20 || byte === 0x22 || byte === 0x09);
}

function headerOf(record: CsvRecord, delimiter: string): string[] {
  const [read] = readFields([record], delimiter);
  if (read && 'fields' in read) return read.fields.map((name) => name.trim());
  throw invalidField('file', 'header', `The header on line ${record.line} has an unbalanced quote.`);
}

function rejectOtherFormats(start: Buffer): void {
  const hex = start.subarray(0, 4).toString('hex');
  if (hex.startsWith('fffe') || hex.startsWith('feff')) {
    throw invalidField('file', 'encoding', 'The file is UTF-16. Save it as CSV in UTF-8.');
  }
  if (hex === '504b0304' || hex === 'd0cf11e0') {
    throw invalidField('file', 'format', 'The file is an Excel workbook. Save it as CSV in UTF-8.');
  }
}

function notUtf8(line: number, offset: number, byte?: number): Problem {
  const found = byte === undefined ? 'incomplete character' : `0x${byte.toString(16).padStart(2, '0')}`;
  return invalidField(
    'file',
    'encoding',
    `The file is not UTF-8: line ${line}, byte ${offset + 1} of the file (${found}). Save it as CSV in UTF-8.`,
  );
}

const tooLong = (line: number) =>
  invalidField(
    'file',
    'record-size',
    `The record on line ${line} is longer than ${maxRecordBytes / 1024} KiB. Check the line ends of the file.`,
  );

const delimiters = [',', ';', '\t'] as const;
const byteOrderMark = '\uFEFF';

/** Finds the header after a byte-order mark, blank lines, # comments and `sep=;`. Undefined while incomplete. */
function findHead(bytes: Buffer, isWhole: boolean): { delimiter: string; header: FilePosition } | undefined {
  let offset = bytes.subarray(0, 3).toString() === byteOrderMark ? 3 : 0;
  let named: string | undefined;
  for (let line = 1; offset < bytes.length; line += 1) {
    const end = lineEnd(bytes, offset);
    if (end === undefined && !isWhole) return undefined;
    const text = bytes.subarray(offset, end?.from ?? bytes.length).toString();
    const separator = /^"?sep=(.)"?$/i.exec(text.trimEnd())?.[1];
    if (separator !== undefined) named = separator;
    else if (text.trim() !== '' && !/^"?#/.test(text)) {
      return { delimiter: named ?? guessDelimiter(text), header: { offset, line } };
    }
    offset = end?.to ?? bytes.length;
  }
  return isWhole ? { delimiter: ',', header: { offset: bytes.length, line: 1 } } : undefined;
}

/** The most frequent delimiter; the comma for a single column. */
function guessDelimiter(header: string): string {
  const plain = header.replaceAll(/"[^"]*"/g, '');
  const counted = delimiters.map((delimiter) => ({ delimiter, count: plain.split(delimiter).length }));
  return counted.reduce((best, other) => (other.count > best.count ? other : best)).delimiter;
}

/** Finds the first invalid UTF-8 byte of a stream. Characters may be split across chunks. */
class Utf8Check {
  #pending: Buffer = Buffer.alloc(0);

  /** Offset of the first invalid character in the chunk; negative when it starts in the previous chunk. */
  push(chunk: Buffer): number | undefined {
    const bytes = this.#pending.length > 0 ? Buffer.concat([this.#pending, chunk]) : chunk;
    const before = this.#pending.length;
    const whole = bytes.length - incompleteTail(bytes);
    if (!isUtf8(bytes.subarray(0, whole))) return firstInvalid(bytes.subarray(0, whole)) - before;
    this.#pending = Buffer.from(bytes.subarray(whole));
    return undefined;
  }

  /** Whether the stream ends within a character. */
  get isIncomplete(): boolean {
    return this.#pending.length > 0;
  }
}

/** Number of trailing bytes that start an incomplete character. */
function incompleteTail(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

const sequenceLength = (first: number) => (first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1);

function firstInvalid(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length) {
    const end = at + sequenceLength(bytes[at] as number);
    if (!isUtf8(bytes.subarray(at, end))) break;
    at = end;
  }
  return at;
}
