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
