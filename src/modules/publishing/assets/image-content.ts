import sharp, { type Metadata } from 'sharp';

/** About 8,000 × 6,000: more than cameras produce, and safe to decode. */
const maxPixels = 50_000_000;
const maxFrames = 1000;
/** Sum over all frames of an animation. */
const maxAnimationPixels = 250_000_000;
const maxSide = 20_000;
const thumbnailSide = 400;
const decodeSeconds = 10;

sharp.cache(false);
sharp.concurrency(1);

export interface ImageInfo {
  width: number;
  height: number;
  /** EXIF orientation, 1 to 8. */
  orientation: number;
  /** Metadata blocks. AVIF has no structure to remove them by, so they are searched for. */
  notes: readonly Buffer[];
}

/** Reads the header without decoding the image. */
export async function readImage(bytes: Buffer, format: string): Promise<ImageInfo | { objection: string }> {
  const head = await metadataOf(bytes);
  if (!head) return { objection: 'it cannot be read, because it is damaged or incomplete' };
  const found = head.format === 'heif' ? 'avif' : head.format;
  if (found !== format) return { objection: `its header says ${found}` };
  const { width, height, pages = 1, pageHeight = height } = head;
  if (width > maxSide || pageHeight > maxSide || width * pageHeight > maxPixels) {
    return {
      objection: `it has ${width} × ${pageHeight} pixels; the limits are ${maxSide} pixels per side and ${maxPixels} pixels in total`,
    };
  }
  if (pages > maxFrames || width * pageHeight * pages > maxAnimationPixels) {
    return {
      objection: `it has ${pages} frames of ${width} × ${pageHeight} pixels; the limits are ${maxFrames} frames and ${maxAnimationPixels} pixels in total`,
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

/** WebP thumbnail of the first frame. Undefined if the image cannot be decoded completely. */
export async function thumbnailOf(bytes: Buffer): Promise<Buffer | undefined> {
  try {
    return await sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error' })
      .autoOrient()
      .resize(thumbnailSide, thumbnailSide, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 80 })
      .timeout({ seconds: decodeSeconds })
      .toBuffer();
  } catch {
    return undefined;
  }
}
