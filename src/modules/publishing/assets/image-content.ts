import sharp, { type Metadata } from 'sharp';

/** About 8,000 × 6,000: more than a camera has, and what can be decoded without hurting anybody. */
const mostPixels = 50_000_000;
const mostFrames = 1000;
/** All frames of an animation together. */
const mostPixelsMoved = 250_000_000;
const longestSide = 20_000;
const thumbnailSide = 400;
const decodeSeconds = 10;

sharp.cache(false);
sharp.concurrency(1);

export interface ImageFacts {
  width: number;
  height: number;
  /** As EXIF has it: 1 to 8. */
  orientation: number;
  /** Notes of the camera that are not cut out of the file by its structure. */
  notes: readonly Buffer[];
}

/** What the head of an image says, without decoding it; or why it is not taken. */
export async function readImage(bytes: Buffer, format: string): Promise<ImageFacts | { objection: string }> {
  const head = await metadataOf(bytes);
  if (!head) return { objection: 'it cannot be read: it is damaged or incomplete' };
  const found = head.format === 'heif' ? 'avif' : head.format;
  if (found !== format) return { objection: `its head says ${found}` };
  const { width, height, pages = 1, pageHeight = height } = head;
  if (width > longestSide || pageHeight > longestSide || width * pageHeight > mostPixels) {
    return {
      objection: `it has ${width} × ${pageHeight} pixels; at most ${longestSide} on a side and ${mostPixels} in all are taken`,
    };
  }
  if (pages > mostFrames || width * pageHeight * pages > mostPixelsMoved) {
    return {
      objection: `it has ${pages} frames of ${width} × ${pageHeight} pixels; at most ${mostFrames} frames with ${mostPixelsMoved} pixels in all are taken`,
    };
  }
  const { orientation = 1, autoOrient, exif, xmp, iptc } = head;
  const notes = [exif, xmp, iptc].flatMap((note) => (note ? [Buffer.from(note)] : []));
  const turned = pages > 1 ? { width, height: pageHeight } : autoOrient;
  return { width: turned.width, height: turned.height, orientation, notes };
}

async function metadataOf(bytes: Buffer): Promise<Metadata | undefined> {
  try {
    return await sharp(bytes, { limitInputPixels: false, animated: true }).metadata();
  } catch {
    return undefined;
  }
}

/** A small WebP picture of an image, or of its first frame. Nothing when the image cannot be decoded to its end. */
export async function thumbnailOf(bytes: Buffer): Promise<Buffer | undefined> {
  try {
    return await sharp(bytes, { limitInputPixels: mostPixels, failOn: 'error' })
      .autoOrient()
      .resize(thumbnailSide, thumbnailSide, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 80 })
      .timeout({ seconds: decodeSeconds })
      .toBuffer();
  } catch {
    return undefined;
  }
}
