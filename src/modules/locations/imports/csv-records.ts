/** A record of a CSV file as its bytes are, without the line end. */
export interface CsvRecord {
  /** The line of the file on which it begins, counted from 1. */
  line: number;
  bytes: Buffer;
  /** Where the next record begins. */
  next: FilePlace;
}

/** A place in a file: the byte, counted from 0, and its line. */
export interface FilePlace {
  offset: number;
  line: number;
}

/** The record that begins on this line has more bytes than are read, most often because a quote is never closed. */
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

type Place = 'field-start' | 'unquoted' | 'quoted' | 'after-quote';

/**
 * Cuts the bytes of a CSV file into records, however they arrive, and holds no more than one record. It knows as much
 * of the grammar as that takes: a quote at the start of a field keeps line ends in the field until it is closed.
 */
export class CsvRecords {
  readonly #delimiter: number;
  readonly #mostBytes: number;
  #place: Place = 'field-start';
  #held: Buffer[] = [];
  #heldBytes = 0;
  #begunOnLine: number;
  #line: number;
  #offset: number;
  /** A carriage return at the end of a chunk: what it is shows with the next byte. */
  #cut: Buffer | undefined;

  constructor(delimiter: string, { from, mostBytes }: { from: FilePlace; mostBytes: number }) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#mostBytes = mostBytes;
    this.#line = from.line;
    this.#begunOnLine = from.line;
    this.#offset = from.offset;
  }

  /** The line that the next byte belongs to. */
  get line(): number {
    return this.#line;
  }

  /** Whether the bytes so far end within quotes. */
  get isWithinQuotes(): boolean {
    return this.#place === 'quoted';
  }

  /** The line on which the record begins that is not complete yet. */
  get begunOnLine(): number {
    return this.#begunOnLine;
  }

  *push(arrived: Buffer): Generator<CsvRecord> {
    const chunk = this.#cut ? Buffer.concat([this.#cut, arrived]) : arrived;
    const isCut = chunk.at(-1) === carriageReturn;
    const length = isCut ? chunk.length - 1 : chunk.length;
    this.#cut = isCut ? Buffer.from([carriageReturn]) : undefined;
    yield* this.#cutUp(chunk, length);
  }

  /** The last record, when the file does not end with a line end. */
  *end(): Generator<CsvRecord> {
    if (this.#cut) yield* this.#cutUp(this.#cut, 1);
    const record = this.#complete(Buffer.alloc(0), this.#offset);
    if (record) yield record;
  }

  *#cutUp(chunk: Buffer, length: number): Generator<CsvRecord> {
    let start = 0;
    for (let at = 0; at < length; at += 1) {
      const byte = chunk[at] as number;
      const isLineEnd = byte === lineFeed || (byte === carriageReturn && chunk[at + 1] !== lineFeed);
      if (isLineEnd) this.#line += 1;
      if (this.#place === 'quoted') {
        if (byte === quote) this.#place = 'after-quote';
      } else if (isLineEnd) {
        const before = byte === lineFeed && at > start && chunk[at - 1] === carriageReturn ? at - 1 : at;
        const record = this.#complete(chunk.subarray(start, before), this.#offset + at + 1);
        start = at + 1;
        if (record) yield record;
      } else if (byte === quote && this.#place !== 'unquoted') {
        this.#place = 'quoted';
      } else {
        this.#place = byte === this.#delimiter ? 'field-start' : 'unquoted';
      }
      if (this.#heldBytes + at - start > this.#mostBytes) throw new RecordTooLong(this.#begunOnLine);
    }
    this.#offset += length;
    if (start < length) {
      // Copied: the chunk's memory belongs to whoever read it.
      this.#held.push(Buffer.from(chunk.subarray(start, length)));
      this.#heldBytes += length - start;
    }
  }

  #complete(rest: Buffer, offset: number): CsvRecord | undefined {
    const bytes = this.#heldBytes > 0 ? Buffer.concat([...this.#held, rest]) : rest;
    const line = this.#begunOnLine;
    this.#held = [];
    this.#heldBytes = 0;
    this.#begunOnLine = this.#line;
    this.#place = 'field-start';
    return bytes.length > 0 ? { line, bytes, next: { offset, line: this.#line } } : undefined;
  }
}
