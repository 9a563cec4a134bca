import { parse } from 'csv-parse/sync';
import type { CsvRecord } from './csv-records.ts';

/** The fields of a record, or why they cannot be told apart. */
export type Fields = { fields: string[] } | { fault: string };

const quote = 0x22;

/** The fields of many records at once. */
export function readFields(records: readonly CsvRecord[], delimiter: string): Fields[] {
  // Most programs quote only what needs it, and without quotes a delimiter is nothing but a delimiter.
  const read = records.map(({ bytes }) =>
    bytes.includes(quote) ? undefined : { fields: bytes.toString().split(delimiter) },
  );
  const quoted = readQuoted(
    records.filter((_, index) => !read[index]),
    delimiter,
  ).values();
  return read.map((fields) => fields ?? (quoted.next().value as Fields));
}

/** What is written by the rules is read in one go, the rest record by record. */
function readQuoted(records: readonly CsvRecord[], delimiter: string): Fields[] {
  if (records.length === 0) return [];
  try {
    const text = Buffer.concat(records.flatMap(({ bytes }) => [bytes, lineFeed]));
    const read = parse(text, { ...options(delimiter), relax_quotes: false }) as unknown as string[][];
    if (read.length === records.length) return read.map((fields) => ({ fields }));
  } catch {
    // One of them is broken: only that one is to be reported.
  }
  return records.map(({ bytes }) => readAlone(bytes, delimiter));
}

/** A quote within a field that did not begin with one is taken for a letter, as in: 5" pipes. */
function readAlone(bytes: Buffer, delimiter: string): Fields {
  try {
    const [fields, ...more] = parse(bytes, { ...options(delimiter), relax_quotes: true }) as unknown as string[][];
    if (fields && more.length === 0) return { fields };
  } catch {
    // Said below.
  }
  return { fault: 'The quotes of this row do not pair up: write "" for a quote within a quoted field.' };
}

const lineFeed = Buffer.from('\n');

const options = (delimiter: string) => ({
  delimiter,
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  trim: false,
});
