import type { FilePosition } from './csv-records.ts';

export interface CsvHead {
  delimiter: string;
  header: FilePosition;
}

const delimiters = [',', ';', '\t'] as const;
const byteOrderMark = '\uFEFF';

/** Finds the header after a byte-order mark, blank lines, # comments and `sep=;`. Undefined while incomplete. */
export function findHead(bytes: Buffer, isWhole: boolean): CsvHead | undefined {
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

function lineEnd(bytes: Buffer, start: number): { from: number; to: number } | undefined {
  for (let at = start; at < bytes.length; at += 1) {
    if (bytes[at] === 0x0a) return { from: at, to: at + 1 };
    // A carriage return at the end of the buffer may be followed by a line feed.
    if (bytes[at] === 0x0d && at + 1 < bytes.length) return { from: at, to: bytes[at + 1] === 0x0a ? at + 2 : at + 1 };
  }
  return undefined;
}

/** The most frequent delimiter; the comma for a single column. */
function guessDelimiter(header: string): string {
  const plain = header.replaceAll(/"[^"]*"/g, '');
  const counted = delimiters.map((delimiter) => ({ delimiter, count: plain.split(delimiter).length }));
  return counted.reduce((best, other) => (other.count > best.count ? other : best)).delimiter;
}
