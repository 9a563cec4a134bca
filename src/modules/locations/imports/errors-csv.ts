import type { Sql } from '../../../database/connection.ts';
import { csvLine, withoutFormula } from './csv-text.ts';
import { listImportErrors } from './location-import-store.ts';

const rowsAtOnce = 1000;

/** The errors of an import as a CSV file, read as fast as it is taken. */
export async function* errorsCsv(sql: Sql, taskId: number): AsyncGenerator<string> {
  // Spreadsheets take a file without the mark for the code page of their country.
  yield `\uFEFF${csvLine(['line', 'field', 'message', 'row'])}`;
  for (let after = 0; ; ) {
    const errors = await listImportErrors(sql, taskId, { after, offset: 0, limit: rowsAtOnce });
    yield errors
      .map(({ line, field, message, row }) => csvLine([line, ...[field, message, row].map(withoutFormula)]))
      .join('');
    const last = errors.at(-1);
    if (!last || errors.length < rowsAtOnce) return;
    after = last.id;
  }
}
