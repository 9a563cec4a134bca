import { type FileHandle, open } from 'node:fs/promises';
import { clearRange, readAt, writeAt } from './file-range.ts';

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
export interface VideoSize {
  width?: number;
  height?: number;
}

const invalid = { error: 'it is not a valid video' };

/** Overwrites metadata of an MP4 or QuickTime file in place, so that offsets stay valid. */
export async function stripVideoMetadata(path: string): Promise<VideoSize | { error: string }> {
  await using file = await open(path, 'r+');
  const { size } = await file.stat();
  const boxes = await topBoxes(file, size);
  if (!boxes) return invalid;
  let videoSize: VideoSize = {};
  for (const box of boxes) {
    const id = await readAt(file, box.inner, xmpId.length);
    if (isMetadata(box, id)) await blankBox(file, box);
    if (box.type !== 'moov') continue;
    if (box.end - box.start > maxIndexBytes) {
      return { error: `its index is larger than ${maxIndexBytes / 2 ** 20} MiB. Divide the video` };
    }
    const index = await readAt(file, box.start, box.end - box.start);
    const movie = { ...box, start: 0, inner: box.inner - box.start, end: index.length };
    if (!blankMetadata(index, movie)) return invalid;
    await writeAt(file, box.start, index);
    videoSize = sizeOf(index, movie);
  }
  return videoSize;
}

async function topBoxes(file: FileHandle, size: number): Promise<Box[] | undefined> {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= size; ) {
    const box = boxAt(await readAt(file, at, 16), 0, size - at);
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
  await writeAt(file, start + 4, Buffer.from('free', 'latin1'));
  await clearRange(file, inner, end);
}
