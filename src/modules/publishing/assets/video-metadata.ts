import { type FileHandle, open } from 'node:fs/promises';

interface Box {
  type: string;
  start: number;
  /** Start of the content. */
  inner: number;
  end: number;
}

/** Boxes with metadata such as the GPS position and the author. */
const metadataBoxes = new Set(['udta', 'meta']);
/** XMP is in a box of the type uuid that starts with this id. Other ids have content that players need. */
const xmpId = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');

const isMetadata = ({ type }: Box, id: Buffer) => metadataBoxes.has(type) || (type === 'uuid' && id.equals(xmpId));
/** Container boxes. */
const containers = new Set(['moov', 'trak']);
/** The index is read into memory. */
const maxIndexBytes = 32 * 2 ** 20;
/** Fragmented videos have a few boxes per second. */
const maxTopBoxes = 5000;
/** Valid videos nest moov and trak. */
const maxDepth = 8;

/** Display size in pixels; absent if the index does not contain it. */
interface VideoSize {
  width?: number;
  height?: number;
}

const invalid = { error: 'it is not a valid video' };

/** Overwrites metadata of an MP4 or QuickTime file in place, so that offsets stay valid. */
export async function stripVideoMetadata(path: string): Promise<VideoSize | { error: string }> {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    const boxes = await topBoxes(file, size);
    if (!boxes) return invalid;
    let videoSize: VideoSize = {};
    for (const box of boxes) {
      const { buffer: id } = await file.read(Buffer.alloc(xmpId.length), 0, xmpId.length, box.inner);
      if (isMetadata(box, id)) await blankBox(file, box);
      if (box.type !== 'moov') continue;
      if (box.end - box.start > maxIndexBytes) {
        return { error: `its index is larger than ${maxIndexBytes / 2 ** 20} MiB. Divide the video` };
      }
      const index = Buffer.alloc(box.end - box.start);
      await file.read(index, 0, index.length, box.start);
      const movie = { ...box, start: 0, inner: box.inner - box.start, end: index.length };
      if (!blankMetadata(index, movie)) return invalid;
      await file.write(index, 0, index.length, box.start);
      videoSize = sizeOf(index, movie);
    }
    return videoSize;
  } finally {
    await file.close();
  }
}

async function topBoxes(file: FileHandle, size: number): Promise<Box[] | undefined> {
  const boxes: Box[] = [];
  const head = Buffer.alloc(16);
  for (let at = 0; at + 8 <= size; ) {
    const { bytesRead } = await file.read(head, 0, 16, at);
    const box = boxAt(head.subarray(0, bytesRead), 0, size - at);
    if (!box) break;
    if (boxes.length === maxTopBoxes) return undefined;
    boxes.push({ type: box.type, start: at, inner: at + box.inner, end: at + box.end });
    at += box.end;
  }
  return boxes;
}

function boxAt(bytes: Buffer, at: number, limit: number): Box | undefined {
  if (at + 8 > bytes.length) return undefined;
  const short = bytes.readUInt32BE(at);
  const isLong = short === 1 && at + 16 <= bytes.length;
  const size = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? limit - at : short;
  const inner = at + (isLong ? 16 : 8);
  const end = at + size;
  return end >= inner && end <= limit
    ? { type: bytes.toString('latin1', at + 4, at + 8), start: at, inner, end }
    : undefined;
}

export function* boxesIn(index: Buffer, container: Pick<Box, 'inner' | 'end'>): Generator<Box> {
  for (let box = boxAt(index, container.inner, container.end); box; box = boxAt(index, box.end, container.end))
    yield box;
}

/** Returns false if containers are nested too deeply. */
export function blankMetadata(index: Buffer, container: Box, depth = 1): boolean {
  if (depth > maxDepth) return false;
  for (const box of boxesIn(index, container)) {
    if (containers.has(box.type) && !blankMetadata(index, box, depth + 1)) return false;
    if (!isMetadata(box, index.subarray(box.inner, box.inner + xmpId.length))) continue;
    clearBox(index, box);
  }
  return true;
}

export function clearBox(index: Buffer, { start, inner, end }: Box): void {
  index.write('free', start + 4, 'latin1');
  index.fill(0, inner, end);
}

/** Size of the first video track. */
function sizeOf(index: Buffer, movie: Box): VideoSize {
  for (const track of boxesIn(index, movie)) {
    if (track.type !== 'trak') continue;
    const head = [...boxesIn(index, track)].find(({ type }) => type === 'tkhd');
    const size = head && sizeIn(index.subarray(head.inner, head.end));
    if (size) return size;
  }
  return {};
}

/** tkhd ends with a matrix of nine numbers, then width and height as 16.16 fixed-point numbers. */
function sizeIn(head: Buffer): VideoSize | undefined {
  const matrix = head[0] === 1 ? 52 : 40;
  if (head.length < matrix + 44) return undefined;
  const width = head.readUInt16BE(matrix + 36);
  const height = head.readUInt16BE(matrix + 40);
  if (width === 0 || height === 0) return undefined;
  // Phones store portrait videos as landscape with a rotation matrix.
  const isRotated = head.readInt32BE(matrix) === 0 && head.readInt32BE(matrix + 16) === 0;
  return isRotated ? { width: height, height: width } : { width, height };
}

async function blankBox(file: FileHandle, { start, inner, end }: Box): Promise<void> {
  await file.write(Buffer.from('free', 'latin1'), 0, 4, start + 4);
  const zeros = Buffer.alloc(64 * 1024);
  for (let at = inner; at < end; at += zeros.length) await file.write(zeros, 0, Math.min(zeros.length, end - at), at);
}

interface Element {
  id: number;
  /** Start of the content. */
  inner: number;
  end: number;
}

/** Tracks precede the media data, within the first megabyte. */
const headBytes = 1024 * 1024;
const segment = 0x18538067;
const tracks = 0x1654ae6b;
const track = 0xae;
const video = 0xe0;
const pixelWidth = 0xb0;
const pixelHeight = 0xba;

/** Size of the first video track of a WebM file; empty if absent. */
export async function webmSize(path: string): Promise<{ width?: number; height?: number }> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    const bytes = buffer.subarray(0, bytesRead);
    const root = { id: 0, inner: 0, end: bytes.length };
    for (const videoElement of within(bytes, root, [segment, tracks, track, video])) {
      const [width = 0] = numbersIn(bytes, videoElement, pixelWidth);
      const [height = 0] = numbersIn(bytes, videoElement, pixelHeight);
      if (width > 0 && height > 0) return { width, height };
    }
    return {};
  } finally {
    await file.close();
  }
}

/** Elements at the given path of ids. */
function* within(bytes: Buffer, container: Element, [id, ...inner]: readonly number[]): Generator<Element> {
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
  return { id: numberAt(bytes, at, sizeAt), inner, end: Math.min(inner + size, limit) };
}

const lengthAt = (bytes: Buffer, at: number) => Math.clz32(bytes[at] ?? 0) - 23;

const numberAt = (bytes: Buffer, from: number, to: number) =>
  bytes.subarray(from, to).reduce((number, byte) => number * 256 + byte, 0);

/** Pixel sizes have at most two bytes; longer values are ignored. */
function numbersIn(bytes: Buffer, container: Element, id: number): number[] {
  const found = [...within(bytes, container, [id])].slice(0, 1);
  return found.filter(({ inner, end }) => end - inner <= 2).map(({ inner, end }) => numberAt(bytes, inner, end));
}
