import { crc32 } from 'node:zlib';
import type { Metadata } from 'sharp';
import { blankMetadata, boxesIn, clearBox } from './video-metadata.ts';

/** About 8,000 × 6,000. Limits the memory for decoding. */
const maxPixels = 50_000_000;
const maxFrames = 1000;
/** Sum over all frames of an animation. */
const maxAnimationPixels = 250_000_000;
const maxSide = 20_000;
const thumbnailSide = 400;
const decodeSeconds = 10;

/** Loads sharp on first use: the service leaves images to the inspection process. */
export async function loadSharp() {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
}

interface ImageInfo {
  width: number;
  height: number;
  /** EXIF orientation, 1 to 8. */
  orientation: number;
  /** EXIF, XMP and IPTC. AVIF stores them without a fixed position, so they are searched for. */
  metadataBlocks: readonly Buffer[];
}

const incomplete = { error: 'it cannot be read, because it is damaged or incomplete' };

/** Reads the header without decoding the image. */
export async function readImage(bytes: Buffer, format: string): Promise<ImageInfo | { error: string }> {
  const metadata = await metadataOf(bytes);
  if (!metadata) return incomplete;
  const found = metadata.format === 'heif' ? 'avif' : metadata.format;
  if (found !== format) return { error: `its content is ${format}, but its image header declares ${found}` };
  const { width, height, pages = 1, pageHeight = height } = metadata;
  if (width > maxSide || pageHeight > maxSide || width * pageHeight > maxPixels) {
    return {
      error: `it has ${width} × ${pageHeight} pixels; the limits are ${maxSide} pixels per side and ${maxPixels} pixels in total`,
    };
  }
  if (pages > maxFrames || width * pageHeight * pages > maxAnimationPixels) {
    return {
      error: `it has ${pages} frames of ${width} × ${pageHeight} pixels; the limits are ${maxFrames} frames and ${maxAnimationPixels} pixels in total`,
    };
  }
  const { orientation = 1, autoOrient, exif, xmp, iptc } = metadata;
  const metadataBlocks = [exif, xmp, iptc].flatMap((block) => (block ? [Buffer.from(block)] : []));
  const oriented = pages > 1 ? { width, height: pageHeight } : autoOrient;
  return { width: oriented.width, height: oriented.height, orientation, metadataBlocks };
}

async function metadataOf(bytes: Buffer): Promise<Metadata | undefined> {
  const sharp = await loadSharp();
  try {
    return await sharp(bytes, { limitInputPixels: false, animated: true }).metadata();
  } catch {
    return undefined;
  }
}

/** WebP thumbnail of the first frame. An error if the image cannot be decoded completely. */
export async function thumbnailOf(bytes: Buffer): Promise<Buffer | { error: string }> {
  const sharp = await loadSharp();
  try {
    return await sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error' })
      .autoOrient()
      .resize(thumbnailSide, thumbnailSide, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 80 })
      .timeout({ seconds: decodeSeconds })
      .toBuffer();
  } catch (error) {
    return (error as Error).message.startsWith('timeout')
      ? { error: `decoding it took longer than ${decodeSeconds} s. Reduce the size of the image` }
      : { error: 'it cannot be decoded, because it is damaged or incomplete' };
  }
}

/**
 * Removes metadata such as GPS position, date and device, because assets are public. The image data stays unchanged,
 * byte by byte. SVG: see stripSvgMetadata.
 */
export function stripPhotoMetadata(
  mimeType: string,
  bytes: Buffer,
  { orientation, metadataBlocks }: Pick<ImageInfo, 'orientation' | 'metadataBlocks'>,
): Buffer | { error: string } {
  if (mimeType === 'image/jpeg') return stripJpeg(bytes, orientation);
  if (mimeType === 'image/png') return stripPng(bytes, orientation);
  if (mimeType === 'image/webp') return stripWebp(bytes, orientation);
  if (mimeType === 'image/gif') return stripGif(bytes);
  return mimeType === 'image/avif' ? stripAvif(bytes, metadataBlocks) : bytes;
}

/** An EXIF block with the orientation only. */
function orientationExif(orientation: number): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write('MM\0*', 0, 'latin1');
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(0x0112, 10);
  tiff.writeUInt16BE(3, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}

const isRotated = (orientation: number) => orientation > 1 && orientation <= 8;

/** Application segments that decoders need: JFIF, colour profile and colour transform. */
const keptJpegSegments = new Map([
  [0xe0, 'JFIF\0'],
  [0xe2, 'ICC_PROFILE\0'],
  [0xee, 'Adobe'],
]);

function isJpegMetadata(marker: number, content: Buffer): boolean {
  const isComment = marker === 0xfe;
  const isApplicationSegment = marker >= 0xe0 && marker <= 0xef;
  const kept = keptJpegSegments.get(marker);
  return isComment || (isApplicationSegment && !(kept && content.toString('latin1', 0, kept.length) === kept));
}

/** Some cameras append a second image, which is cut off. */
function stripJpeg(bytes: Buffer, orientation: number): Buffer {
  const kept: Buffer[] = [bytes.subarray(0, 2), ...(isRotated(orientation) ? [exifSegment(orientation)] : [])];
  for (let at = nextMarker(bytes, 2); at < bytes.length; ) {
    const marker = bytes[at + 1] as number;
    if (marker === 0xd9 || at + 4 > bytes.length) {
      kept.push(bytes.subarray(at, at + 2));
      break;
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    // Bytes between a segment and the next marker are image data.
    const next = nextMarker(bytes, end);
    if (!isJpegMetadata(marker, bytes.subarray(at + 4, end))) kept.push(bytes.subarray(at, next));
    at = next;
  }
  return Buffer.concat(kept);
}

/** In image data 0xff is followed by 0 or a restart marker (D0–D7); before a marker it may repeat. */
function nextMarker(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
    const following = bytes[at + 1] as number;
    if (following !== 0 && following !== 0xff && (following < 0xd0 || following > 0xd7)) return at;
  }
  return bytes.length;
}

function exifSegment(orientation: number): Buffer {
  const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), orientationExif(orientation)]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(exif.length + 2, 2);
  return Buffer.concat([head, exif]);
}

/** Optional chunks that affect the display: colours, transparency, pixel size and animation. */
const keptPngChunks = new Set(
  'tRNS gAMA cHRM sRGB iCCP cICP mDCV cLLI sBIT bKGD hIST pHYs sPLT acTL fcTL fdAT'.split(' '),
);

function stripPng(bytes: Buffer, orientation: number): Buffer {
  const kept: Buffer[] = [bytes.subarray(0, 8)];
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const isRequired = /^[A-Z]/.test(type);
    if (isRequired || keptPngChunks.has(type)) kept.push(bytes.subarray(at, end));
    if (type === 'IHDR' && isRotated(orientation)) kept.push(exifChunk(orientation));
    if (type === 'IEND') break;
    at = end;
  }
  return Buffer.concat(kept);
}

function exifChunk(orientation: number): Buffer {
  const exif = orientationExif(orientation);
  const chunk = Buffer.alloc(exif.length + 12);
  chunk.writeUInt32BE(exif.length, 0);
  chunk.write('eXIf', 4, 'latin1');
  exif.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return chunk;
}

const keptWebpChunks = new Set(['VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);
const exifFlag = 0x08;
const xmpFlag = 0x04;

function stripWebp(bytes: Buffer, orientation: number): Buffer {
  const kept: Buffer[] = [];
  const limit = Math.min(bytes.length, 8 + bytes.readUInt32LE(4));
  for (let at = 12; at + 8 <= limit; ) {
    const type = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const end = Math.min(at + 8 + size + (size % 2), limit);
    if (type === 'VP8X') kept.push(metadataFlags(bytes.subarray(at, end), isRotated(orientation)));
    else if (keptWebpChunks.has(type)) kept.push(bytes.subarray(at, end));
    at = end;
  }
  if (isRotated(orientation)) {
    const exif = orientationExif(orientation);
    const head = Buffer.from('EXIF\0\0\0\0', 'latin1');
    head.writeUInt32LE(exif.length, 4);
    kept.push(head, exif);
  }
  const body = Buffer.concat(kept);
  const riff = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1');
  riff.writeUInt32LE(body.length + 4, 4);
  return Buffer.concat([riff, body]);
}

function metadataFlags(chunk: Buffer, hasExif: boolean): Buffer {
  const copy = Buffer.from(chunk);
  copy[8] = ((copy[8] as number) & ~(exifFlag | xmpFlag)) | (hasExif ? exifFlag : 0);
  return copy;
}

/** Application extensions for looping and for the colour profile. */
const keptGifExtensions = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']);

function stripGif(bytes: Buffer): Buffer {
  let at = 13 + colorTableBytes(bytes[10]);
  const kept: Buffer[] = [bytes.subarray(0, at)];
  // 0x21 starts an extension, 0x2c a frame.
  while (bytes[at] === 0x21 || bytes[at] === 0x2c) {
    const isFrame = bytes[at] === 0x2c;
    const label = bytes[at + 1];
    const isMetadata =
      !isFrame &&
      (label === 0xfe || (label === 0xff && !keptGifExtensions.has(bytes.toString('latin1', at + 3, at + 14))));
    const end = endOfGifBlocks(bytes, isFrame ? at + 11 + colorTableBytes(bytes[at + 9]) : at + 2);
    if (!isMetadata) kept.push(bytes.subarray(at, end));
    at = end;
  }
  return Buffer.concat([...kept, Buffer.from([0x3b])]);
}

const colorTableBytes = (flags = 0) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Each block starts with its length. The last one is empty. */
function endOfGifBlocks(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at]) at += 1 + (bytes[at] as number);
  return at + 1;
}

/** Boxes that decoders need. `mini` is the short form of `meta`; `moov` and `moof` are those of an animation. */
const keptAvifBoxes = new Set(['ftyp', 'meta', 'mini', 'mdat', 'moov', 'moof']);
/** Entries of EXIF, XMP and embedded files in the list of items (ISO 14496-12): ids have two or four bytes. */
const metadataItems = /infe.{8}(?:..)?(?:Exif|mime|uri )/gs;
const notRemovable = { error: 'its metadata cannot be removed completely. Export the image without metadata' };

/** Length of an empty EXIF block. */
const minBlockLength = 14;

/**
 * AVIF metadata is interleaved with image data, so it is overwritten in place. Orientation is a property of the image
 * and stays. Bytes after the last box are cut off.
 */
function stripAvif(bytes: Buffer, blocks: readonly Buffer[]): Buffer | { error: string } {
  const copy = Buffer.from(bytes);
  let end = 0;
  for (const box of boxesIn(copy, { inner: 0, end: copy.length })) {
    end = box.end;
    if (!keptAvifBoxes.has(box.type)) clearBox(copy, box);
    if (box.type === 'moov' && !blankMetadata(copy, box)) return notRemovable;
    const items = box.type === 'meta' ? copy.toString('latin1', box.inner, box.end).match(metadataItems) : null;
    if (items && items.length > blocks.length) return notRemovable;
  }
  // Some decoders accept a last box that is longer than the file.
  if (keptAvifBoxes.has(copy.toString('latin1', end + 4, end + 8))) return incomplete;
  for (const stored of blocks) {
    // sharp prepends the header of JPEG to EXIF.
    const block = stored.toString('latin1', 0, 6) === 'Exif\0\0' ? stored.subarray(6) : stored;
    // Shorter blocks hold no personal data and match image data by chance.
    if (block.length < minBlockLength) continue;
    // Compressed or divided. Searched in the original, because a block can be equal to another or part of it.
    if (!bytes.includes(block)) return notRemovable;
    for (let at = bytes.indexOf(block); at >= 0; at = bytes.indexOf(block, at + block.length)) {
      copy.fill(0, at, at + block.length);
      if (/^(II|MM)$/.test(block.toString('latin1', 0, 2))) copy.write('II*\0\x08\0\0\0\0\0\0\0\0\0', at, 'latin1');
    }
  }
  return copy.subarray(0, end);
}
