import { csvLine } from './csv-text.ts';
import { locationColumns, requiredColumns } from './location-columns.ts';

const introduction = [
  'Locations for upload with POST /api/location-imports. Lines that begin with # before the header are not read.',
  'UTF-8; fields are separated by comma, semicolon or tab; lists within a field by |. Columns may be left out or moved.',
  `Every row needs ${requiredColumns.join(', ')} and the business. An empty cell leaves what the location has.`,
  'A row changes the location with the same identifier. Without an identifier it changes the one of the same business',
  'with the same name at the same address. When there is none, a location is created.',
];

/** Every column with its meaning and an example, and the header to write rows under. */
export function templateCsv(): string {
  const meanings = locationColumns.map(
    ({ name, meaning, example }) => `${name}: ${meaning}${example === '' ? '' : ` (${example})`}`,
  );
  const comments = [...introduction, ...meanings].map((text) => csvLine([`# ${text}`]));
  return comments.join('') + csvLine(locationColumns.map(({ name }) => name));
}
