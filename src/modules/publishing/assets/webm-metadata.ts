import { type FileHandle, open } from 'node:fs/promises';
import { clearRange, readAt, writeAt } from './file-range.ts';
import type { VideoSize } from './video-metadata.ts';

interface Element {
  id: number;
  /** Start of the content. */
  inner: number;
  end: number;
  /** The length is unknown, as in live recordings. */
  isOpen: boolean;
}

/** Tracks precede the media data, within the first megabyte. */
const headBytes = 1024 * 1024;
/** Id and length of an element. */
const maxHeaderBytes = 12;
const aheadBytes = 16 * 1024;
/** A live recording has about 80 blocks per second. */
const maxElements = 200_000;
const segment = 0x18538067;
const info = 0x1549a966;
const cluster = 0x1f43b675;
const tracks = 0x1654ae6b;
const track = 0xae;
const video = 0xe0;
const pixelWidth = 0xb0;
const pixelHeight = 0xba;

/** Tags such as the GPS position, attachments, the title, and checksums, which are wrong without them. */
const metadata = new Set([0x1254c367, 0x1941a469, 0x7ba9, 0xbf]);

/** Overwrites metadata of a WebM file in place, so that offsets stay valid. */
export async function stripWebmMetadata(path: string): Promise<VideoSize | { error: string }> {
  await using file = await open(path, 'r+');
  const { size } = await file.stat();
  const isLimited = (await blankMetadata(file, headerReader(file), { inner: 0, end: size }, maxElements)) >= 0;
  if (!isLimited) return { error: `it has more than ${maxElements} elements. Divide the video, or save it as MP4` };
  return sizeIn(await readAt(file, 0, headBytes));
}

/** Returns the rest of the element limit, negative if the file has more. */
async function blankMetadata(
  file: FileHandle,
  headerAt: HeaderReader,
  container: Pick<Element, 'inner' | 'end'>,
  limit: number,
) {
  let rest = limit;
  for (let at = container.inner; at < container.end && rest >= 0; rest--) {
    const found = elementAt(await headerAt(at), 0, container.end - at);
    if (!found) break;
    const [inner, end] = [at + found.inner, at + found.end];
    if (metadata.has(found.id)) await blankElement(file, at, end);
    if (found.id === segment || found.id === info) {
      rest = await blankMetadata(file, headerAt, { inner, end }, rest - 1);
    }
    // A cluster of unknown length ends at the next element that is not part of clusters.
    at = found.id === cluster && found.isOpen ? inner : end;
  }
  return rest;
}

type HeaderReader = (at: number) => Promise<Buffer>;

/** Reads ahead: blocks of a live recording are small. */
function headerReader(file: FileHandle): HeaderReader {
  let start = 0;
  let bytes: Buffer = Buffer.alloc(0);
  return async (at) => {
    if (at < start || at + maxHeaderBytes > start + bytes.length) {
      bytes = await readAt(file, at, aheadBytes);
      start = at;
    }
    return bytes.subarray(at - start, at - start + maxHeaderBytes);
  };
}

/** An element that players skip: its id is 0xec. */
async function blankElement(file: FileHandle, start: number, end: number): Promise<void> {
  const length = end - start;
  // The length has one byte with the marker 0x80, or eight with the marker 0x01.
  const head = length < 9 ? Buffer.from([0xec, 0x80 + length - 2]) : Buffer.from('ec0100000000000000', 'hex');
  if (length >= 9) head.writeUIntBE(length - 9, 3, 6);
  await writeAt(file, start, head);
  await clearRange(file, start + head.length, end);
}

/** Size of the first video track; empty if absent. */
function sizeIn(bytes: Buffer): VideoSize {
  const root = { inner: 0, end: bytes.length };
  for (const videoElement of within(bytes, root, [segment, tracks, track, video])) {
    const width = numberIn(bytes, videoElement, pixelWidth);
    const height = numberIn(bytes, videoElement, pixelHeight);
    if (width > 0 && height > 0) return { width, height };
  }
  return {};
}

/** Elements at the given path of ids. */
function* within(
  bytes: Buffer,
  container: Pick<Element, 'inner' | 'end'>,
  [id, ...inner]: readonly number[],
): Generator<Element> {
  for (
    let found = elementAt(bytes, container.inner, container.end);
    found;
    found = elementAt(bytes, found.end, container.end)
  ) {
    if (found.id !== id) continue;
    if (inner.length === 0) yield found;
    else yield* within(bytes, found, inner);
  }
}

/** EBML element: id and length, each with a length prefix of leading zeros, then the content. */
function elementAt(bytes: Buffer, at: number, limit: number): Element | undefined {
  const idLength = lengthAt(bytes, at);
  const sizeAt = at + idLength;
  const sizeLength = lengthAt(bytes, sizeAt);
  const inner = sizeAt + sizeLength;
  if (idLength > 4 || sizeLength > 8 || inner > limit) return undefined;
  // The marker bit is not part of the number. An unknown length is all ones and ends at the limit.
  const size = numberAt(bytes, sizeAt, inner) - 2 ** (7 * sizeLength);
  const isOpen = size >= 2 ** (7 * sizeLength) - 1;
  return { id: numberAt(bytes, at, sizeAt), inner, end: Math.min(inner + size, limit), isOpen };
}

const lengthAt = (bytes: Buffer, at: number) => Math.clz32(bytes[at] ?? 0) - 23;

const numberAt = (bytes: Buffer, from: number, to: number) =>
  bytes.subarray(from, to).reduce((number, byte) => number * 256 + byte, 0);

/** Pixel sizes have at most two bytes; longer values are ignored. */
function numberIn(bytes: Buffer, container: Element, id: number): number {
  const [found] = within(bytes, container, [id]);
  return found && found.end - found.inner <= 2 ? numberAt(bytes, found.inner, found.end) : 0;
}
