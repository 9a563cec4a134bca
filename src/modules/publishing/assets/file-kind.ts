import { type FieldError, invalidField } from '../../../problems.ts';

type FileType = 'IMAGE' | 'VIDEO' | 'DOCUMENT';

export interface FileKind {
  mimeType: string;
  type: FileType;
  /** Display name. */
  name: string;
  /** Accepted extensions, default first. */
  extensions: readonly [string, ...string[]];
}

const kindsOf =
  (type: FileType) =>
  (mimeType: string, name: string, ...extensions: [string, ...string[]]): FileKind => ({
    mimeType,
    type,
    name,
    extensions,
  });
const image = kindsOf('IMAGE');
const video = kindsOf('VIDEO');
const document = kindsOf('DOCUMENT');
const openXml = 'application/vnd.openxmlformats-officedocument';
const openDocument = 'application/vnd.oasis.opendocument';

/** Legacy and macro-enabled Office formats are excluded: they can contain programs. */
export const fileKinds: readonly FileKind[] = [
  image('image/jpeg', 'JPEG image', 'jpg', 'jpeg', 'jpe', 'jfif'),
  image('image/png', 'PNG image', 'png'),
  image('image/webp', 'WebP image', 'webp'),
  image('image/gif', 'GIF image', 'gif'),
  image('image/avif', 'AVIF image', 'avif'),
  image('image/svg+xml', 'SVG image', 'svg'),
  video('video/mp4', 'MP4 video', 'mp4', 'm4v'),
  video('video/webm', 'WebM video', 'webm'),
  video('video/quicktime', 'QuickTime video', 'mov', 'qt'),
  document('application/pdf', 'PDF document', 'pdf'),
  document(`${openXml}.wordprocessingml.document`, 'Word document', 'docx'),
  document(`${openXml}.spreadsheetml.sheet`, 'Excel workbook', 'xlsx'),
  document(`${openXml}.presentationml.presentation`, 'PowerPoint presentation', 'pptx'),
  document(`${openDocument}.text`, 'OpenDocument text', 'odt'),
  document(`${openDocument}.spreadsheet`, 'OpenDocument spreadsheet', 'ods'),
  document(`${openDocument}.presentation`, 'OpenDocument presentation', 'odp'),
  document('text/plain', 'plain text', 'txt', 'csv', 'md'),
];

const mimeTypeAliases: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/apng': 'image/png',
  'video/x-m4v': 'video/mp4',
  'text/csv': 'text/plain',
  'text/markdown': 'text/plain',
};

export function kindByMimeType(mimeType: string): FileKind | undefined {
  const canonical = mimeTypeAliases[mimeType] ?? mimeType;
  return fileKinds.find((kind) => kind.mimeType === canonical);
}

export const kindByExtension = (extension: string): FileKind | undefined =>
  fileKinds.find(({ extensions }) => extensions.includes(extension));

export const acceptedExtensions = fileKinds.map(({ extensions: [extension] }) => extension).join(', ');

const maxLength = 255;

/** Control, zero-width and bidirectional characters disguise the real name. Joiners (U+200C, U+200D) are part of words. */
const invisibleCharacters = /[\p{Cc}\p{Bidi_Control}\u200b\u2028\u2029\u2060-\u206f\ufeff]/u;

/** Rejected anywhere in the name. */
const executableExtensions = new Set(
  'app asp aspx bat cgi cmd com cpl dll exe hta htm html jar js jsp lnk mjs msi phar php phtml pif ps1 py scr sh shtml vbs wsf xhtml xht'.split(
    ' ',
  ),
);

/** Normalizes the name of an uploaded file and removes its path. Rejects invalid names and executable extensions. */
export function readFileName(given: string): string {
  const name = (given.split(/[/\\]/).at(-1) ?? '').normalize('NFC').trim();
  if (/^\.*$/.test(name)) throw invalidField('file', 'name', 'The file has no name. Send a filename in its form part.');
  const error = nameError('file', name, 'The file name');
  if (error) throw invalidField(error.field, error.rule, error.message);
  const executable = partsOf(name).find((part) => executableExtensions.has(part));
  if (executable === undefined) return name;
  const message = `The name "${name}" contains the extension .${executable}, which is not allowed for uploads. Rename the file.`;
  throw invalidField('file', 'name', message);
}

/** Validates names of files, assets and folders. `label` names the value in the message. */
export function nameError(field: string, name: string, label = field): FieldError | undefined {
  if (name.trim() === '') return { field, rule: 'pattern', message: `${label} must not be blank.` };
  if ([...name].length > maxLength) {
    return { field, rule: 'maxLength', message: `${label} must have at most ${maxLength} characters.` };
  }
  const [character] = invisibleCharacters.exec(name) ?? [];
  if (character === undefined) return undefined;
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return {
    field,
    rule: 'characters',
    message: `${label} contains the invisible character U+${code}. Remove control, zero-width and bidirectional characters.`,
  };
}

/** In lower case; undefined without a dot. */
export const extensionOf = (name: string): string | undefined => partsOf(name).at(-1);

/** All parts after a dot. */
const partsOf = (name: string) =>
  name
    .toLowerCase()
    .split('.')
    .slice(1)
    .map((part) => part.trim());
