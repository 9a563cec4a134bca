import { createReadStream } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import { fileTypeFromFile } from 'file-type';
import { invalidField, type Problem } from '../../../problems.ts';
import type { ReceivedFile } from '../../../storage/received-file.ts';
import { type FileKind, kindByExtension, kindByMimeType, takenExtensions } from './file-kind.ts';
import { extensionOf } from './file-title.ts';
import { readImage, thumbnailOf } from './image-content.ts';
import { withoutPhotoMetadata } from './photo-metadata.ts';
import { screenSvg } from './svg-screening.ts';
import { cleanVideo } from './video-metadata.ts';
import { webmSize } from './webm-size.ts';

/** A file that was looked into and can be kept. */
export interface CheckedFile {
  kind: FileKind;
  sizeBytes: number;
  content: () => AsyncIterable<Uint8Array>;
  width?: number;
  height?: number;
  thumbnail?: Buffer;
}

export interface Claimed {
  /** What the file is called, and what its part of the form says that it is. */
  title: string;
  mimeType: string;
}

const longestSvg = 2 * 2 ** 20;
const longestImage = 64 * 2 ** 20;

/** Looks at the bytes, not at the name; throws the problem when they are not taken, or not what the name says. */
export async function checkFile(file: ReceivedFile, claimed: Claimed): Promise<CheckedFile> {
  if (file.sizeBytes === 0) throw refused(claimed, 'it is empty');
  const kind = await kindByBytes(file, claimed);
  checkClaims(kind, claimed);
  if (kind.type === 'IMAGE') return checkImage(file, kind, claimed);
  const facts = kind.type === 'VIDEO' ? await videoFacts(file, kind) : {};
  if (!facts) throw refused(claimed, 'it is built as no video is');
  return { kind, sizeBytes: file.sizeBytes, content: () => createReadStream(file.path), ...facts };
}

const videoFacts = (file: ReceivedFile, { mimeType }: FileKind) =>
  mimeType === 'video/webm' ? webmSize(file.path) : cleanVideo(file.path);

async function kindByBytes(file: ReceivedFile, claimed: Claimed): Promise<FileKind> {
  const found = await fileTypeFromFile(file.path);
  if (found && found.mime !== 'application/xml') {
    const kind = kindByMimeType(found.mime);
    if (kind) return kind;
    throw notTaken(claimed, `${found.mime} (.${found.ext})`);
  }
  if (extensionOf(claimed.title) === 'svg' || found || (await beginsLikeMarkup(file.path))) {
    const svg = await svgKind(file, claimed);
    if (svg) return svg;
  }
  if (await isText(file.path)) return kindByMimeType('text/plain') as FileKind;
  throw notTaken(claimed, 'of no kind that is known');
}

async function svgKind(file: ReceivedFile, claimed: Claimed): Promise<FileKind | undefined> {
  if (file.sizeBytes > longestSvg) return undefined;
  const text = await textOf(file.path);
  if (text === undefined) return undefined;
  const { isSvg, objection } = screenSvg(text);
  if (!isSvg) return undefined;
  if (objection === undefined) return kindByMimeType('image/svg+xml');
  throw invalidField(
    'file',
    'svg',
    `The SVG "${claimed.title}" is not taken: ${objection}. Save it without scripts, event handlers, foreign content and references to other files.`,
  );
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch {
    return undefined;
  }
}

async function beginsLikeMarkup(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0);
    return /^\s*</.test(buffer.toString('utf8', 0, bytesRead).replace(/^\uFEFF/, ''));
  } finally {
    await file.close();
  }
}

/** UTF-8 without control characters, read in pieces. */
async function isText(path: string): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of createReadStream(path)) {
      if (/[^\P{Cc}\t\n\r\f]/u.test(decoder.decode(chunk, { stream: true }))) return false;
    }
    decoder.decode();
    return true;
  } catch {
    return false;
  }
}

/** A name or a form that says something else is a mistake or a trick; neither is kept. */
function checkClaims(kind: FileKind, { title, mimeType }: Claimed): void {
  const extension = extensionOf(title);
  const fits = extension === undefined || kind.extensions.includes(extension);
  const claimed = kindByMimeType(mimeType);
  if (fits && (claimed === undefined || claimed === kind)) return;
  const said = fits
    ? `The form says that "${title}" is ${mimeType}`
    : `"${title}" is called .${extension}${nameOf(kindByExtension(extension ?? ''))}`;
  throw invalidField(
    'file',
    'content',
    `${said}, but its bytes are a ${kind.name} (${kind.mimeType}). Send the right file, or name it .${kind.extensions[0]}.`,
  );
}

const nameOf = (kind: FileKind | undefined) => (kind ? ` as a ${kind.name} (${kind.mimeType}) is` : '');

async function checkImage(file: ReceivedFile, kind: FileKind, claimed: Claimed): Promise<CheckedFile> {
  if (file.sizeBytes > longestImage) throw refused(claimed, `an image may have ${longestImage / 2 ** 20} MiB at most`);
  const sent = await readFile(file.path);
  const format = kind.mimeType === 'image/svg+xml' ? 'svg' : kind.mimeType.slice('image/'.length);
  const facts = await readImage(sent, format);
  if ('objection' in facts) throw refused(claimed, facts.objection);
  const thumbnail = await thumbnailOf(sent);
  if (!thumbnail) throw refused(claimed, 'it cannot be decoded: it is damaged or incomplete');
  const { width, height, orientation, notes } = facts;
  const bytes = withoutPhotoMetadata(kind.mimeType, sent, orientation, notes);
  await writeFile(file.path, bytes);
  const content = () => createReadStream(file.path);
  return { kind, sizeBytes: bytes.length, content, width, height, thumbnail };
}

export const refused = ({ title }: Claimed, why: string): Problem =>
  invalidField('file', 'content', `The file "${title}" is not taken: ${why}.`);

const notTaken = ({ title }: Claimed, found: string): Problem =>
  invalidField(
    'file',
    'content',
    `The file "${title}" is ${found} by its bytes, which is not taken. Files that are: ${takenExtensions}.`,
  );
