import { type FieldError, invalidField } from '../../../problems.ts';

const maxLength = 255;

/** Control, zero-width and bidirectional characters disguise the real name. */
const invisibleCharacters = /[\p{Cc}\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

/** Rejected anywhere in the name. */
const executableExtensions = new Set(
  'app asp aspx bat cgi cmd com cpl dll exe hta htm html jar js jsp lnk mjs msi phar php phtml pif ps1 py scr sh shtml vbs wsf xhtml xht'.split(
    ' ',
  ),
);

/** Normalizes a file name and removes the path that some clients send. */
export function fileTitle(given: string): string {
  const title = (given.split(/[/\\]/).at(-1) ?? '').normalize('NFC').trim();
  if (/^\.*$/.test(title))
    throw invalidField('file', 'name', 'The file has no name. Send a filename in its form part.');
  const error = titleError('file', title);
  if (error) throw invalidField(error.field, error.rule, error.message);
  const executable = partsOf(title).find((part) => executableExtensions.has(part));
  if (executable === undefined) return title;
  throw invalidField(
    'file',
    'name',
    `The name "${title}" contains the extension .${executable}, which is not allowed for uploads. Rename the file.`,
  );
}

/** Validates names of assets and folders. */
export function titleError(field: string, title: string): FieldError | undefined {
  if (title.trim() === '') return { field, rule: 'pattern', message: `${field} must not be blank.` };
  if ([...title].length > maxLength) {
    return { field, rule: 'maxLength', message: `${field} must have at most ${maxLength} characters.` };
  }
  const [character] = invisibleCharacters.exec(title) ?? [];
  if (character === undefined) return undefined;
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return {
    field,
    rule: 'characters',
    message: `${field} contains the invisible character U+${code}. Remove control and bidirectional characters.`,
  };
}

/** In lower case; undefined without a dot. */
export const extensionOf = (title: string): string | undefined => partsOf(title).at(-1);

/** All parts after a dot. */
const partsOf = (title: string) =>
  title
    .toLowerCase()
    .split('.')
    .slice(1)
    .map((part) => part.trim());
