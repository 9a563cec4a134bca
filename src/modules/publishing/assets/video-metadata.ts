import { type FileHandle, open } from 'node:fs/promises';

interface Box {
  type: string;
  start: number;
  /** Where its content begins. */
  inner: number;
  end: number;
}

/** Boxes in which telephones and editors note where and by whom a video was made. */
const notes = new Set(['udta', 'meta']);
/** Boxes that hold others. */
const holders = new Set(['moov', 'trak']);
/** The index of a video; one that is longer is not read. */
const longestIndex = 32 * 2 ** 20;
/** A video sent in pieces has a few for each second. */
const mostTopBoxes = 5000;
/** The film, and its tracks within. */
const deepest = 8;

/** In pixels, as it is shown. Absent when the index does not say it. */
interface VideoFacts {
  width?: number;
  height?: number;
}

/**
 * Blanks the notes in an MP4 or QuickTime file where they stand: every other byte, and every offset that the index
 * has, stays as it is. Answers what the index says of the picture, or nothing when the file is built as no video is,
 * and would take for ever to go through.
 */
export async function cleanVideo(path: string): Promise<VideoFacts | undefined> {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    const boxes = await topBoxes(file, size);
    if (!boxes) return undefined;
    let facts: VideoFacts = {};
    for (const box of boxes) {
      if (notes.has(box.type)) await blankBox(file, box);
      if (box.type !== 'moov' || box.end - box.start > longestIndex) continue;
      const index = Buffer.alloc(box.end - box.start);
      await file.read(index, 0, index.length, box.start);
      const film = { ...box, start: 0, inner: box.inner - box.start, end: index.length };
      if (!blankNotes(index, film)) return undefined;
      await file.write(index, 0, index.length, box.start);
      facts = pictureOf(index, film);
    }
    return facts;
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
    if (boxes.length === mostTopBoxes) return undefined;
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

function* boxesIn(index: Buffer, holder: Box): Generator<Box> {
  for (let box = boxAt(index, holder.inner, holder.end); box; box = boxAt(index, box.end, holder.end)) yield box;
}

/** False when holders are nested deeper than those of a video are. */
function blankNotes(index: Buffer, holder: Box, depth = 1): boolean {
  if (depth > deepest) return false;
  for (const box of boxesIn(index, holder)) {
    if (holders.has(box.type) && !blankNotes(index, box, depth + 1)) return false;
    if (!notes.has(box.type)) continue;
    index.write('free', box.start + 4, 'latin1');
    index.fill(0, box.inner, box.end);
  }
  return true;
}

/** The size of the first track that has a picture. */
function pictureOf(index: Buffer, film: Box): VideoFacts {
  for (const track of boxesIn(index, film)) {
    if (track.type !== 'trak') continue;
    const head = [...boxesIn(index, track)].find(({ type }) => type === 'tkhd');
    const size = head && sizeIn(index.subarray(head.inner, head.end));
    if (size) return size;
  }
  return {};
}

/** The head of a track ends in a matrix of nine numbers, the width and the height, the latter two with 16 bits behind the point. */
function sizeIn(head: Buffer): VideoFacts | undefined {
  const matrix = head[0] === 1 ? 52 : 40;
  if (head.length < matrix + 44) return undefined;
  const width = head.readUInt16BE(matrix + 36);
  const height = head.readUInt16BE(matrix + 40);
  if (width === 0 || height === 0) return undefined;
  // Telephones film as they lie in the hand, and have the matrix turn the picture upright.
  const isTurned = head.readInt32BE(matrix) === 0 && head.readInt32BE(matrix + 16) === 0;
  return isTurned ? { width: height, height: width } : { width, height };
}

async function blankBox(file: FileHandle, { start, inner, end }: Box): Promise<void> {
  await file.write(Buffer.from('free', 'latin1'), 0, 4, start + 4);
  const zeros = Buffer.alloc(64 * 1024);
  for (let at = inner; at < end; at += zeros.length) await file.write(zeros, 0, Math.min(zeros.length, end - at), at);
}
