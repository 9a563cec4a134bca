import { createReadStream } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import { fileTypeFromFile } from 'file-type';
import { invalidField, type Problem } from '../../../problems.ts';
import type { ReceivedFile } from '../../../storage/received-file.ts';
import { acceptedExtensions, type FileKind, kindByExtension, kindByMimeType } from './file-kind.ts';
import { extensionOf } from './file-title.ts';
import { readImage, stripPhotoMetadata, thumbnailOf } from './photo-metadata.ts';
import { screenSvg } from './svg-validation.ts';
import { stripVideoMetadata, webmSize } from './video-metadata.ts';

export interface CheckedFile {
  kind: FileKind;
  sizeBytes: number;
  content: () => AsyncIterable<Uint8Array>;
  width?: number;
  height?: number;
  thumbnail?: Buffer;
}

export interface Claimed {
  /** File name and content type of the form part. */
  title: string;
  mimeType: string;
}

const maxSvgBytes = 2 * 2 ** 20;
const maxImageBytes = 64 * 2 ** 20;

/** Detects the type from the content. Throws if it is not accepted or does not match the name. */
export async function checkFile(file: ReceivedFile, claimed: Claimed): Promise<CheckedFile> {
  if (file.sizeBytes === 0) throw rejected(claimed, 'it is empty');
  const kind = await kindByBytes(file, claimed);
  checkClaims(kind, claimed);
  if (kind.type === 'IMAGE') return checkImage(file, kind, claimed);
  const facts = kind.type === 'VIDEO' ? await videoFacts(file, kind) : {};
  if (!facts) throw rejected(claimed, 'it is not a valid video');
  return { kind, sizeBytes: file.sizeBytes, content: () => createReadStream(file.path), ...facts };
}

const videoFacts = (file: ReceivedFile, { mimeType }: FileKind) =>
  mimeType === 'video/webm' ? webmSize(file.path) : stripVideoMetadata(file.path);

async function kindByBytes(file: ReceivedFile, claimed: Claimed): Promise<FileKind> {
  const found = await fileTypeFromFile(file.path);
  if (found && found.mime !== 'application/xml') {
    const kind = kindByMimeType(found.mime);
    if (kind) return kind;
    throw unsupported(claimed, `${found.mime} (.${found.ext})`);
  }
  if (extensionOf(claimed.title) === 'svg' || found || (await startsLikeMarkup(file.path))) {
    const svg = await svgKind(file, claimed);
    if (svg) return svg;
  }
  if (await isText(file.path)) return kindByMimeType('text/plain') as FileKind;
  throw unsupported(claimed, 'of an unknown type');
}

async function svgKind(file: ReceivedFile, claimed: Claimed): Promise<FileKind | undefined> {
  if (file.sizeBytes > maxSvgBytes) return undefined;
  const text = await textOf(file.path);
  if (text === undefined) return undefined;
  const { isSvg, objection } = screenSvg(text);
  if (!isSvg) return undefined;
  if (objection === undefined) return kindByMimeType('image/svg+xml');
  throw invalidField(
    'file',
    'svg',
    `The SVG "${claimed.title}" was rejected: ${objection}. Remove scripts, event handlers, foreign content and references to other files.`,
  );
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch {
    return undefined;
  }
}

async function startsLikeMarkup(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0);
    return /^\s*</.test(buffer.toString('utf8', 0, bytesRead).replace(/^\uFEFF/, ''));
  } finally {
    await file.close();
  }
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
function checkClaims(kind: FileKind, { title, mimeType }: Claimed): void {
  const extension = extensionOf(title);
  const hasMatchingExtension = extension === undefined || kind.extensions.includes(extension);
  const claimed = kindByMimeType(mimeType);
  if (hasMatchingExtension && (claimed === undefined || claimed === kind)) return;
  const claim = hasMatchingExtension
    ? `The content type of "${title}" is ${mimeType}`
    : `"${title}" has the extension .${extension}${nameOf(kindByExtension(extension ?? ''))}`;
  throw invalidField(
    'file',
    'content',
    `${claim}, but its content is a ${kind.name} (${kind.mimeType}). Send the right file, or use the extension .${kind.extensions[0]}.`,
  );
}

const nameOf = (kind: FileKind | undefined) => (kind ? ` of a ${kind.name} (${kind.mimeType})` : '');

async function checkImage(file: ReceivedFile, kind: FileKind, claimed: Claimed): Promise<CheckedFile> {
  if (file.sizeBytes > maxImageBytes) throw rejected(claimed, `images can have at most ${maxImageBytes / 2 ** 20} MiB`);
  const sent = await readFile(file.path);
  const format = kind.mimeType === 'image/svg+xml' ? 'svg' : kind.mimeType.slice('image/'.length);
  const facts = await readImage(sent, format);
  if ('objection' in facts) throw rejected(claimed, facts.objection);
  const thumbnail = await thumbnailOf(sent);
  if (!thumbnail) throw rejected(claimed, 'it cannot be decoded, because it is damaged or incomplete');
  const { width, height, orientation, notes } = facts;
  const bytes = stripPhotoMetadata(kind.mimeType, sent, orientation, notes);
  await writeFile(file.path, bytes);
  const content = () => createReadStream(file.path);
  return { kind, sizeBytes: bytes.length, content, width, height, thumbnail };
}

export const rejected = ({ title }: Claimed, reason: string): Problem =>
  invalidField('file', 'content', `The file "${title}" was rejected: ${reason}.`);

const unsupported = ({ title }: Claimed, found: string): Problem =>
  invalidField(
    'file',
    'content',
    `The content of "${title}" is ${found}, which is not supported. Supported are ${acceptedExtensions}.`,
  );
