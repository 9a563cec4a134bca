/**
 * Cameras and telephones write into a picture where and when it was taken, by whom and with what. Assets can be read by
 * everybody who has their address, so these notes are cut out, and the picture itself is left as it is, byte by byte.
 */
export function withoutPhotoMetadata(
  mimeType: string,
  bytes: Buffer,
  orientation: number,
  notes: readonly Buffer[],
): Buffer {
  if (mimeType === 'image/jpeg') return plainJpeg(bytes, orientation);
  if (mimeType === 'image/png') return plainPng(bytes);
  if (mimeType === 'image/webp') return plainWebp(bytes, orientation);
  return mimeType === 'image/avif' ? plainAvif(bytes, notes) : bytes;
}

/** An EXIF block that says how to turn the picture and nothing else. */
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

const isTurned = (orientation: number) => orientation > 1 && orientation <= 8;

/** APP1 has EXIF and XMP, APP13 what editors note, COM remarks. Some cameras put a second picture behind the first. */
function plainJpeg(bytes: Buffer, orientation: number): Buffer {
  const kept: Buffer[] = [bytes.subarray(0, 2), ...(isTurned(orientation) ? [exifSegment(orientation)] : [])];
  for (let at = nextMarker(bytes, 2); at < bytes.length; ) {
    const marker = bytes[at + 1] as number;
    if (marker === 0xd9 || at + 4 > bytes.length) {
      kept.push(bytes.subarray(at, at + 2));
      break;
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    const isNote = marker === 0xe1 || marker === 0xed || marker === 0xfe;
    // What stands between a segment and the next one is picture data.
    const next = nextMarker(bytes, end);
    kept.push(bytes.subarray(isNote ? end : at, next));
    at = next;
  }
  return Buffer.concat(kept);
}

/** In picture data 0xff is followed by 0 or by the number of an interval; in front of a marker it may be repeated. */
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

const pngNotes = new Set(['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME']);

function plainPng(bytes: Buffer): Buffer {
  const kept: Buffer[] = [bytes.subarray(0, 8)];
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (!pngNotes.has(type)) kept.push(bytes.subarray(at, end));
    if (type === 'IEND') break;
    at = end;
  }
  return Buffer.concat(kept);
}

const exifFlag = 0x08;
const xmpFlag = 0x04;

function plainWebp(bytes: Buffer, orientation: number): Buffer {
  const kept: Buffer[] = [];
  const limit = Math.min(bytes.length, 8 + bytes.readUInt32LE(4));
  for (let at = 12; at + 8 <= limit; ) {
    const type = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const end = Math.min(at + 8 + size + (size % 2), limit);
    if (type === 'VP8X') kept.push(plainFlags(bytes.subarray(at, end), isTurned(orientation)));
    else if (type !== 'EXIF' && type !== 'XMP ') kept.push(bytes.subarray(at, end));
    at = end;
  }
  if (isTurned(orientation)) {
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

function plainFlags(chunk: Buffer, hasExif: boolean): Buffer {
  const copy = Buffer.from(chunk);
  copy[8] = ((copy[8] as number) & ~(exifFlag | xmpFlag)) | (hasExif ? exifFlag : 0);
  return copy;
}

/** The length of an empty EXIF block. */
const shortestNote = 14;

/** Its notes lie among the picture data and are blanked where they stand; how to turn the picture is said elsewhere. */
function plainAvif(bytes: Buffer, notes: readonly Buffer[]): Buffer {
  const copy = Buffer.from(bytes);
  for (const note of notes) {
    // The library puts its own head before the block of the file.
    const block = note.toString('latin1', 0, 6) === 'Exif\0\0' ? note.subarray(6) : note;
    // A shorter block says nothing of a person, and its bytes are found all over the picture.
    if (block.length < shortestNote) continue;
    for (let at = copy.indexOf(block); at >= 0; at = copy.indexOf(block, at + block.length)) {
      copy.fill(0, at, at + block.length);
      if (/^(II|MM)$/.test(block.toString('latin1', 0, 2)) && block.length >= 14)
        copy.write('II*\0\x08\0\0\0\0\0\0\0\0\0', at, 'latin1');
    }
  }
  return copy;
}
