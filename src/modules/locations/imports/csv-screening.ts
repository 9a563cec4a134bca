import { invalidField, type Problem } from '../../../problems.ts';
import { Utf8Check } from './csv-encoding.ts';
import { readFields } from './csv-fields.ts';
import { findHead } from './csv-head.ts';
import { type CsvRecord, CsvRecords, type FilePosition, RecordTooLong } from './csv-records.ts';

/** Ten times more than a location needs. Stops at an unclosed quote instead of buffering the rest of the file. */
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
    if (this.#records?.isWithinQuotes) throw unclosedQuote(this.#records.startLine);
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

/** Spreadsheets write rows of delimiters for cleared cells. */
export function isBlank({ bytes }: CsvRecord, delimiter: string): boolean {
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
  const what = byte === undefined ? 'incomplete character' : `0x${byte.toString(16).padStart(2, '0')}`;
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
    `The record that starts on line ${line} is longer than ${maxRecordBytes / 1024} KiB. Check for an unclosed quote.`,
  );

const unclosedQuote = (line: number) =>
  invalidField('file', 'quotes', `The record that starts on line ${line} has an unclosed quote.`);
