import { type FieldError, invalidField } from '../../../problems.ts';

const longest = 255;

/** Control characters, and those that turn the direction of what follows: a name with them is not what it looks like. */
const deceptive = /[\p{Cc}\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

/** What computers run: no part of a name may claim to be one of these, whatever follows it. */
const programs = new Set(
  'app asp aspx bat cgi cmd com cpl dll exe hta htm html jar js jsp lnk mjs msi phar php phtml pif ps1 py scr sh shtml vbs wsf xhtml xht'.split(
    ' ',
  ),
);

/** The name of a file as it arrives, without the folders that some programs put before it. */
export function fileTitle(given: string): string {
  const title = (given.split(/[/\\]/).at(-1) ?? '').normalize('NFC').trim();
  if (/^\.*$/.test(title))
    throw invalidField('file', 'name', 'The file has no name. Send one with its part of the form.');
  const wrong = titleError('file', title);
  if (wrong) throw invalidField(wrong.field, wrong.rule, wrong.message);
  const program = partsOf(title).find((part) => programs.has(part));
  if (program === undefined) return title;
  throw invalidField(
    'file',
    'name',
    `The name "${title}" has the extension .${program} of a program or web page, which are not taken. Rename the file.`,
  );
}

/** What is wrong with a name that people see: of an asset or a folder. */
export function titleError(field: string, title: string): FieldError | undefined {
  if (title.trim() === '') return { field, rule: 'pattern', message: `${field} must have more than spaces.` };
  if ([...title].length > longest) {
    return { field, rule: 'maxLength', message: `${field} may have ${longest} characters at most.` };
  }
  const [sign] = deceptive.exec(title) ?? [];
  if (sign === undefined) return undefined;
  const code = sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return {
    field,
    rule: 'characters',
    message: `${field} has the invisible character U+${code}. Leave out control characters and changes of direction.`,
  };
}

/** The extension that a name ends in, in lower case; none when it has no dot. */
export const extensionOf = (title: string): string | undefined => partsOf(title).at(-1);

/** Everything behind a dot. */
const partsOf = (title: string) =>
  title
    .toLowerCase()
    .split('.')
    .slice(1)
    .map((part) => part.trim());
