import { parse } from 'csv-parse/sync';
import type { CsvRecord } from './csv-records.ts';

/** The fields of a record, or why it cannot be parsed. */
export type Fields = { fields: string[] } | { fault: string };

const quote = 0x22;

export function readFields(records: readonly CsvRecord[], delimiter: string): Fields[] {
  // Fast path: records without quotes are split at the delimiter.
  const read = records.map(({ bytes }) =>
    bytes.includes(quote) ? undefined : { fields: bytes.toString().split(delimiter) },
  );
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
    const text = Buffer.concat(records.flatMap(({ bytes }) => [bytes, lineFeed]));
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
  return { fault: 'The row has an unbalanced quote. Write "" for a quote inside a quoted field.' };
}

const lineFeed = Buffer.from('\n');

const options = (delimiter: string) => ({
  delimiter,
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  trim: false,
});
