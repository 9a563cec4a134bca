import { parse } from 'csv-parse/sync';

/** The bytes of a CSV record, without the line end. */
export interface CsvRecord {
  /** The line on which it starts, from 1. */
  line: number;
  bytes: Buffer;
  /** Position of the next record. */
  next: FilePosition;
  /** Text between the end of a quoted field and the delimiter, as in: "a"b,c. */
  hasTextAfterQuote?: true;
  hasUnclosedQuote?: true;
}

/** Byte offset from 0, and line from 1. */
export interface FilePosition {
  offset: number;
  line: number;
}

/** A single line is too long. */
export class RecordTooLong extends Error {
  readonly line: number;

  constructor(line: number) {
    super(`The record on line ${line} is too long.`);
    this.line = line;
  }
}

const quote = 0x22;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;

type ParserState = 'field-start' | 'unquoted' | 'quoted' | 'after-quote';

/**
 * How far a record was read that then was split. All its line ends were quoted, so a later line that ends quoted
 * continues there: reading it again would take quadratic time.
 */
interface Ahead {
  at: number;
  state: ParserState;
  line: number;
  textAfterQuote: number;
}

/** Splits a byte stream into CSV records and buffers at most one. A quoted field may contain line ends. */
export class CsvRecords {
  readonly #delimiter: number;
  readonly #maxBytes: number;
  #state: ParserState = 'field-start';
  #buffered: Buffer[] = [];
  #bufferedBytes = 0;
  /** Offset of the last text after a quoted field of this record, or -1. */
  #textAfterQuote = -1;
  #startLine: number;
  #line: number;
  #offset: number;
  /** A carriage return at the end of a chunk: the next chunk may start with a line feed. */
  #pendingReturn: Buffer | undefined;

  constructor(delimiter: string, { from, maxBytes }: { from: FilePosition; maxBytes: number }) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#maxBytes = maxBytes;
    this.#line = from.line;
    this.#startLine = from.line;
    this.#offset = from.offset;
  }

  /** The line of the next byte. */
  get line(): number {
    return this.#line;
  }

  *push(arrived: Buffer): Generator<CsvRecord> {
    const chunk = this.#pendingReturn ? Buffer.concat([this.#pendingReturn, arrived]) : arrived;
    const isCut = chunk.at(-1) === carriageReturn;
    const length = isCut ? chunk.length - 1 : chunk.length;
    this.#pendingReturn = isCut ? Buffer.from([carriageReturn]) : undefined;
    yield* this.#split(chunk, length);
  }

  /** The last record of a file without a final line end. */
  *end(): Generator<CsvRecord> {
    if (this.#pendingReturn) yield* this.#split(this.#pendingReturn, 1);
    const record = this.#complete(Buffer.alloc(0), this.#offset);
    if (record) yield record;
  }

  *#split(arrived: Buffer, arrivedLength: number): Generator<CsvRecord> {
    let chunk = arrived;
    let length = arrivedLength;
    let start = 0;
    let ahead: Ahead | undefined;
    for (let at = 0; at < length; at += 1) {
      const byte = chunk[at] as number;
      const isLineEnd = byte === lineFeed || (byte === carriageReturn && chunk[at + 1] !== lineFeed);
      if (isLineEnd) this.#line += 1;
      if (this.#state === 'quoted') {
        if (byte === quote) this.#state = 'after-quote';
        if (isLineEnd && ahead && at < ahead.at) {
          if (ahead.textAfterQuote > this.#offset + at) this.#textAfterQuote = ahead.textAfterQuote;
          this.#state = ahead.state;
          this.#line = ahead.line;
          at = ahead.at;
        }
      } else if (isLineEnd) {
        const before = byte === lineFeed && at > start && chunk[at - 1] === carriageReturn ? at - 1 : at;
        const record = this.#complete(chunk.subarray(start, before), this.#offset + at + 1);
        start = at + 1;
        if (record) yield record;
      } else if (byte === quote && this.#state !== 'unquoted') {
        this.#state = 'quoted';
      } else {
        const isEnd = byte === this.#delimiter || byte === carriageReturn;
        if (this.#state === 'after-quote' && !isEnd) this.#textAfterQuote = this.#offset + at;
        this.#state = byte === this.#delimiter ? 'field-start' : 'unquoted';
      }
      if (this.#bufferedBytes + at - start > this.#maxBytes) {
        // Too long because of an unclosed quote: ends after its first line.
        const earlier = this.#bufferedBytes;
        if (earlier > 0) chunk = Buffer.concat([...this.#buffered, chunk]);
        length += earlier;
        this.#offset -= earlier;
        ahead = { at: at + earlier, state: this.#state, line: this.#line, textAfterQuote: this.#textAfterQuote };
        const end = lineEnd(chunk.subarray(0, ahead.at + 1), start);
        if (!end) throw new RecordTooLong(this.#startLine);
        this.#buffered = [];
        this.#bufferedBytes = 0;
        this.#line = this.#startLine + 1;
        const record = this.#complete(chunk.subarray(start, end.from), this.#offset + end.to);
        if (record) yield { ...record, hasUnclosedQuote: true };
        start = end.to;
        at = end.to - 1;
      }
    }
    this.#offset += length;
    if (start < length) {
      // Copied, because the reader may reuse the chunk.
      this.#buffered.push(Buffer.from(chunk.subarray(start, length)));
      this.#bufferedBytes += length - start;
    }
  }

  #complete(rest: Buffer, offset: number): CsvRecord | undefined {
    const bytes = this.#bufferedBytes > 0 ? Buffer.concat([...this.#buffered, rest]) : rest;
    const line = this.#startLine;
    const next = { offset, line: this.#line };
    const record = { line, bytes, next, ...(this.#textAfterQuote >= 0 && { hasTextAfterQuote: true as const }) };
    this.#textAfterQuote = -1;
    this.#buffered = [];
    this.#bufferedBytes = 0;
    this.#startLine = this.#line;
    this.#state = 'field-start';
    return bytes.length > 0 ? record : undefined;
  }
}

export function lineEnd(bytes: Buffer, start: number): { from: number; to: number } | undefined {
  for (let at = start; at < bytes.length; at += 1) {
    if (bytes[at] === 0x0a) return { from: at, to: at + 1 };
    // A carriage return at the end of the buffer may be followed by a line feed.
    if (bytes[at] === 0x0d && at + 1 < bytes.length) return { from: at, to: bytes[at + 1] === 0x0a ? at + 2 : at + 1 };
  }
  return undefined;
}

/** The lines of a record in which an unclosed quote has joined several rows; otherwise the record itself. */
export function rowsOf(record: CsvRecord, delimiter: string, columns: number): CsvRecord[] {
  const { line, bytes, next, hasTextAfterQuote } = record;
  if (!bytes.includes(lineFeed) && !bytes.includes(carriageReturn)) return [record];
  const read = readSingle(bytes, delimiter);
  if (!hasTextAfterQuote && 'fields' in read && read.fields.length === columns) return [record];
  const lines = bytes.toString().split(/\r\n|\n|\r/);
  const isRow = (text: string) => text.split(delimiter).length >= columns;
  if (!lines.slice(1).some(isRow)) return [record];
  return lines
    .map((text, index): CsvRecord => ({ line: line + index, bytes: Buffer.from(text), next }))
    .map((row, index): CsvRecord => (index === 0 ? { ...row, hasUnclosedQuote: true } : row));
}

/** The fields of a record, or why it cannot be parsed. */
export type Fields = { fields: string[] } | { fault: string };

export function readFields(records: readonly CsvRecord[], delimiter: string): Fields[] {
  // Fast path: records without quotes are split at the delimiter.
  const read = records.map(({ line, bytes, hasUnclosedQuote }): Fields | undefined => {
    if (hasUnclosedQuote) return { fault: `The row has an unclosed quote on line ${line}. ${quoteAdvice}` };
    return bytes.includes(quote) ? undefined : { fields: bytes.toString().split(delimiter) };
  });
  const quoted = readQuoted(
    records.filter((_, index) => !read[index]),
    delimiter,
  ).values();
  return read.map((fields) => fields ?? (quoted.next().value as Fields));
}

/** Parses all records at once; if one is malformed, parses them one by one. */
function readQuoted(records: readonly CsvRecord[], delimiter: string): Fields[] {
  if (records.length === 0) return [];
  try {
    const text = Buffer.concat(records.flatMap(({ bytes }) => [bytes, Buffer.from([lineFeed])]));
    const read = parse(text, { ...options(delimiter), relax_quotes: false }) as unknown as string[][];
    if (read.length === records.length) return read.map((fields) => ({ fields }));
  } catch {
    // At least one record is malformed: parse each below to report only that one.
  }
  return records.map(({ bytes }) => readSingle(bytes, delimiter));
}

/** A quote inside an unquoted field is a literal character, as in: 5" pipes. */
function readSingle(bytes: Buffer, delimiter: string): Fields {
  try {
    const [fields, ...more] = parse(bytes, { ...options(delimiter), relax_quotes: true }) as unknown as string[][];
    if (fields && more.length === 0) return { fields };
  } catch {
    // Reported below.
  }
  return { fault: `The row has an unbalanced quote. ${quoteAdvice}` };
}

const quoteAdvice = 'Write "" for a quote inside a quoted field.';

const options = (delimiter: string) => ({
  delimiter,
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  trim: false,
});

export const csvLine = (cells: readonly (string | number)[]): string =>
  `${cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(',')}\r\n`;
