import { invalidField, type Problem } from '../../../problems.ts';
import { Utf8Check } from './csv-encoding.ts';
import { readFields } from './csv-fields.ts';
import { findHead } from './csv-head.ts';
import { type CsvRecord, CsvRecords, type FilePlace, RecordTooLong } from './csv-records.ts';

/** No location needs a tenth of it. A quote that is never closed would make one record of the rest of the file. */
export const longestRecord = 64 * 1024;

/** What is known of a file once it has been read to its end. */
export interface Screened {
  delimiter: string;
  /** The names of the columns as they are written. */
  header: string[];
  firstRow: FilePlace;
  rows: number;
}

/**
 * Looks at a file while it arrives, in memory that does not depend on its size: whether it is text in UTF-8 with a
 * header and records of a reasonable size. Throws the problem with the first byte or line that is not.
 */
export class CsvScreening {
  readonly #encoding = new Utf8Check();
  #head: Buffer = Buffer.alloc(0);
  #records: CsvRecords | undefined;
  #delimiter = ',';
  #header: { names: string[]; next: FilePlace } | undefined;
  #rows = 0;
  #bytes = 0;

  push(chunk: Buffer): void {
    if (this.#bytes === 0) refuseOtherFormats(chunk);
    const wrong = this.#encoding.push(chunk);
    const good = wrong === undefined ? chunk : chunk.subarray(0, Math.max(0, wrong));
    this.#take(good, false);
    this.#bytes += good.length;
    if (wrong === undefined) return;
    throw notUtf8(this.#lineNow(), this.#bytes + Math.min(0, wrong), wrong < 0 ? undefined : chunk[wrong]);
  }

  end(): Screened {
    if (this.#encoding.isUnfinished) throw notUtf8(this.#lineNow(), this.#bytes - 1);
    this.#take(Buffer.alloc(0), true);
    if (this.#records?.isWithinQuotes) throw neverClosed(this.#records.begunOnLine);
    if (this.#records) this.#count(this.#records.end());
    if (!this.#header) throw invalidField('file', 'empty', 'The file is empty: the first line must name the columns.');
    return {
      delimiter: this.#delimiter,
      header: this.#header.names,
      firstRow: this.#header.next,
      rows: this.#rows,
    };
  }

  #take(chunk: Buffer, isWhole: boolean): void {
    if (this.#records) {
      this.#count(this.#records.push(chunk));
      return;
    }
    this.#head = Buffer.concat([this.#head, chunk]);
    const head = findHead(this.#head, isWhole);
    if (!head) {
      if (this.#head.length > longestRecord) throw tooLong(this.#lineNow());
      return;
    }
    this.#delimiter = head.delimiter;
    this.#records = new CsvRecords(head.delimiter, { from: head.header, mostBytes: longestRecord });
    this.#count(this.#records.push(this.#head.subarray(head.header.offset)));
    this.#head = Buffer.alloc(0);
  }

  #count(records: Iterable<CsvRecord>): void {
    try {
      for (const record of records) {
        if (!this.#header) this.#header = { names: headerOf(record, this.#delimiter), next: record.next };
        else if (!isBlank(record, this.#delimiter)) this.#rows += 1;
      }
    } catch (error) {
      throw error instanceof RecordTooLong ? tooLong(error.line) : error;
    }
  }

  #lineNow(): number {
    return this.#records?.line ?? this.#head.toString('latin1').split(/\r\n|\n|\r/).length;
  }
}

/** Spreadsheets write rows of delimiters where there was something once. */
export function isBlank({ bytes }: CsvRecord, delimiter: string): boolean {
  const separator = delimiter.charCodeAt(0);
  return bytes.every((byte) => byte === separator || byte === 0x20 || byte === 0x22 || byte === 0x09);
}

function headerOf(record: CsvRecord, delimiter: string): string[] {
  const [read] = readFields([record], delimiter);
  if (read && 'fields' in read) return read.fields.map((name) => name.trim());
  throw invalidField('file', 'header', `The header on line ${record.line} cannot be read: its quotes do not pair up.`);
}

function refuseOtherFormats(start: Buffer): void {
  const hex = start.subarray(0, 4).toString('hex');
  if (hex.startsWith('fffe') || hex.startsWith('feff')) {
    throw invalidField('file', 'encoding', 'The file is UTF-16. Save it as CSV in UTF-8.');
  }
  if (hex === '504b0304' || hex === 'd0cf11e0') {
    throw invalidField('file', 'format', 'The file is an Excel workbook. Save it as CSV in UTF-8.');
  }
}

function notUtf8(line: number, offset: number, byte?: number): Problem {
  const what = byte === undefined ? 'a letter that is cut off' : `0x${byte.toString(16).padStart(2, '0')}`;
  return invalidField(
    'file',
    'encoding',
    `The file is not UTF-8: line ${line}, byte ${offset + 1} of the file (${what}). Save it as CSV in UTF-8.`,
  );
}

const tooLong = (line: number) =>
  invalidField(
    'file',
    'record-size',
    `The record that begins on line ${line} is longer than ${longestRecord / 1024} KiB. Is a quote not closed?`,
  );

const neverClosed = (line: number) =>
  invalidField('file', 'quotes', `The record that begins on line ${line} has a quote that is never closed.`);
