import type { Sql } from '../../../database/connection.ts';
import { locationColumns, requiredColumns } from './location-columns.ts';
import { listImportErrors } from './location-import-store.ts';

export const csvLine = (cells: readonly (string | number)[], delimiter = ','): string =>
  `${cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(delimiter)}\r\n`;

/** Prevents CSV injection: https://owasp.org/www-community/attacks/CSV_Injection */
const escapeFormula = (text: string): string => (/^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text);

const pageSize = 1000;

/** Streams the errors of an import as CSV. */
export async function* errorsCsv(sql: Sql, taskId: number): AsyncGenerator<string> {
  // Without a byte-order mark, spreadsheets assume a national code page.
  yield `\uFEFF${csvLine(['line', 'field', 'message', 'row'])}`;
  for (let after = 0; ; ) {
    const errors = await listImportErrors(sql, taskId, { after, offset: 0, limit: pageSize });
    yield errors
      .map(({ line, field, message, row }) => csvLine([line, ...[field, message, row].map(escapeFormula)]))
      .join('');
    const last = errors.at(-1);
    if (!last || errors.length < pageSize) return;
    after = last.id;
  }
}

const introduction = [
  'Upload locations with POST /api/location-imports. Lines that start with # before the header are ignored.',
  'UTF-8. Separate fields by comma, semicolon or tab, and list entries by |. Columns may be omitted or reordered.',
  `Every row requires ${requiredColumns.join(', ')} and the business. An empty cell keeps the value of the location.`,
  'A row updates the location with the same identifier. Without an identifier it updates the location of the same',
  'business with the same name and address. If there is none, a location is created.',
];

/** Comments that describe every column, and the header. */
export function templateCsv(): string {
  const meanings = locationColumns.map(
    ({ name, meaning, example }) => `${name}: ${meaning}${example === '' ? '' : ` (${example})`}`,
  );
  const comments = [...introduction, ...meanings].map((text) => csvLine([`# ${text}`]));
  return comments.join('') + csvLine(locationColumns.map(({ name }) => name));
}
