import { createReadStream } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import { invalidField, type Problem } from '../../../problems.ts';
import type { ReceivedFile } from '../../../storage/received-file.ts';
import { acceptedExtensions, extensionOf, type FileKind, kindByExtension, kindByMimeType } from './file-kind.ts';
import { readImage, stripPhotoMetadata, thumbnailOf } from './photo-metadata.ts';
import { stripSvgMetadata, validateSvg } from './svg-validation.ts';
import { stripVideoMetadata } from './video-metadata.ts';
import { stripWebmMetadata } from './webm-metadata.ts';

export interface CheckedFile {
  kind: FileKind;
  sizeBytes: number;
  content: () => AsyncIterable<Uint8Array>;
  width?: number;
  height?: number;
  thumbnail?: Buffer;
}

export interface DeclaredFile {
  /** File name in the form part. */
  title: string;
  mimeType: string;
}

const maxSvgBytes = 2 * 2 ** 20;
const maxImageBytes = 64 * 2 ** 20;

/** Detects the type from the content. Throws if it is not accepted or does not match the name. */
export async function checkFile(file: ReceivedFile, declared: DeclaredFile): Promise<CheckedFile> {
  if (file.sizeBytes === 0) throw rejected(declared, 'it is empty');
  const kind = await kindByBytes(file, declared);
  checkDeclaration(kind, declared);
  if (kind.type === 'IMAGE') return checkImage(file, kind, declared);
  const size = kind.type === 'VIDEO' ? await videoSize(file, kind) : {};
  if ('error' in size) throw rejected(declared, size.error);
  return { kind, sizeBytes: file.sizeBytes, content: () => createReadStream(file.path), ...size };
}

const videoSize = (file: ReceivedFile, { mimeType }: FileKind) =>
  mimeType === 'video/webm' ? stripWebmMetadata(file.path) : stripVideoMetadata(file.path);

async function kindByBytes(file: ReceivedFile, declared: DeclaredFile): Promise<FileKind> {
  // Loaded on first use: the service leaves files to the inspection process.
  const { fileTypeFromFile } = await import('file-type');
  const found = await fileTypeFromFile(file.path);
  if (found && found.mime !== 'application/xml') {
    const kind = kindByMimeType(found.mime);
    if (kind) return kind;
    throw unsupported(declared, `${found.mime} (.${found.ext})`);
  }
  if (extensionOf(declared.title) === 'svg' || found || (await startsLikeMarkup(file.path))) {
    const svg = await svgKind(file, declared);
    if (svg) return svg;
  }
  if (await isText(file.path)) return kindByMimeType('text/plain') as FileKind;
  throw unsupported(declared, 'of an unknown type');
}

async function svgKind(file: ReceivedFile, declared: DeclaredFile): Promise<FileKind | undefined> {
  if (file.sizeBytes > maxSvgBytes) return undefined;
  const text = await textOf(file.path);
  if (text === undefined) return undefined;
  const uploaded = validateSvg(text);
  if (!uploaded.isSvg) return undefined;
  const stripped = uploaded.violation === undefined ? stripSvgMetadata(text) : text;
  const { violation } = validateSvg(stripped);
  if (violation === undefined) {
    await writeFile(file.path, stripped);
    return kindByMimeType('image/svg+xml');
  }
  const message = `The SVG "${declared.title}" was rejected: ${violation}. Remove scripts, event handlers, foreign content and references to other files.`;
  throw invalidField('file', 'svg', message);
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch {
    return undefined;
  }
}

async function startsLikeMarkup(path: string): Promise<boolean> {
  await using file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0);
  return /^\s*</.test(buffer.toString('utf8', 0, bytesRead).replace(/^\uFEFF/, ''));
}

/** UTF-8 without control characters. */
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

/** The file name and the content type of the form must match the content. */
function checkDeclaration(kind: FileKind, { title, mimeType }: DeclaredFile): void {
  const extension = extensionOf(title);
  const hasMatchingExtension = extension === undefined || kind.extensions.includes(extension);
  const declared = kindByMimeType(mimeType);
  if (hasMatchingExtension && (declared === undefined || declared === kind)) return;
  const declaration = hasMatchingExtension
    ? `The content type of "${title}" is ${mimeType}`
    : `"${title}" has the extension .${extension}${nameOf(kindByExtension(extension ?? ''))}`;
  const message = `${declaration}, but its content is of type ${kind.mimeType} (${kind.name}). Send a file that matches, or use the extension .${kind.extensions[0]}.`;
  throw invalidField('file', 'content', message);
}

const nameOf = (kind: FileKind | undefined) => (kind ? ` of type ${kind.mimeType} (${kind.name})` : '');

async function checkImage(file: ReceivedFile, kind: FileKind, declared: DeclaredFile): Promise<CheckedFile> {
  if (file.sizeBytes > maxImageBytes)
    throw rejected(declared, `images can have at most ${maxImageBytes / 2 ** 20} MiB`);
  const uploaded = await readFile(file.path);
  const format = kind.mimeType === 'image/svg+xml' ? 'svg' : kind.mimeType.slice('image/'.length);
  const image = await readImage(uploaded, format);
  if ('error' in image) throw rejected(declared, image.error);
  const thumbnail = await thumbnailOf(uploaded);
  if ('error' in thumbnail) throw rejected(declared, thumbnail.error);
  const bytes = stripPhotoMetadata(kind.mimeType, uploaded, image);
  if ('error' in bytes) throw rejected(declared, bytes.error);
  await writeFile(file.path, bytes);
  const content = () => createReadStream(file.path);
  const { width, height } = image;
  return { kind, sizeBytes: bytes.length, content, width, height, thumbnail };
}

export const rejected = ({ title }: DeclaredFile, reason: string): Problem =>
  invalidField('file', 'content', `The file "${title}" was rejected: ${reason}.`);

function unsupported({ title }: DeclaredFile, found: string): Problem {
  const message = `The content of "${title}" is ${found}, which is not supported. Supported extensions: ${acceptedExtensions}.`;
  return invalidField('file', 'content', message);
}
