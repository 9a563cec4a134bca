import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { box, element, gifOf, gpsPosition, picture, pngChunk, video, webm } from '../../../../test/support/assets.ts';
import { readImage, stripPhotoMetadata, thumbnailOf } from './photo-metadata.ts';
import { stripVideoMetadata } from './video-metadata.ts';
import { stripWebmMetadata } from './webm-metadata.ts';

const camera = 'Telephone of Anna';
const secrets = {
  IFD0: { Make: camera, Copyright: camera },
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '50/1 56/1 0/1' },
};
const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description exif:GPSLatitude="50,56N" xmlns:exif="http://ns.adobe.com/exif/1.0/">${camera}</rdf:Description></rdf:RDF></x:xmpmeta>`;

/** Noise with an EXIF rotation, as phones store it. */
const photo = (format: 'jpeg' | 'png' | 'webp' | 'avif', progressive = false) =>
  sharp({
    create: {
      width: 60,
      height: 40,
      channels: 3,
      background: 'white',
      noise: { type: 'gaussian', mean: 128, sigma: 40 },
    },
  })
    .withExif(secrets)
    .withXmp(xmp)
    .withMetadata({ orientation: 6 })
    .toFormat(format, progressive ? { progressive } : {})
    .toBuffer();

const pixels = (bytes: Buffer) => sharp(bytes).raw().toBuffer();

async function stripped(format: 'jpeg' | 'png' | 'webp' | 'avif' | 'gif', bytes: Buffer): Promise<Buffer> {
  const image = await readImage(bytes, format);
  if ('error' in image) throw new Error(image.error);
  const kept = stripPhotoMetadata(`image/${format}`, bytes, image);
  if ('error' in kept) throw new Error(kept.error);
  return kept;
}

function jpegSegment(marker: number, text: string): Buffer {
  const content = Buffer.from(text, 'latin1');
  return Buffer.concat([Buffer.from([0xff, marker, 0, content.length + 2]), content]);
}

describe('photo metadata', () => {
  test.each(['jpeg', 'png', 'webp', 'avif'] as const)(
    'is removed from %s without changing the pixels',
    async (format) => {
      const sent = await photo(format);
      expect(sent.includes(camera)).toBe(true);
      const kept = await stripped(format, sent);
      expect(kept.includes(camera)).toBe(false);
      expect(kept.includes('GPSLatitude')).toBe(false);
      expect((await pixels(kept)).equals(await pixels(sent))).toBe(true);
      expect((await stripped(format, kept)).equals(kept)).toBe(true);
    },
  );

  test('in blocks that are too short is ignored', async () => {
    const sent = await picture('avif');
    const short = { orientation: 1, metadataBlocks: [Buffer.from([sent.at(-1) ?? 0])] };
    expect(stripPhotoMetadata('image/avif', sent, short)).toEqual(sent);
  });

  test('that is not found in an AVIF is rejected', async () => {
    const sent = await picture('avif');
    const absent = { orientation: 1, metadataBlocks: [Buffer.from(`${camera}, compressed`)] };
    expect(stripPhotoMetadata('image/avif', sent, absent)).toEqual({
      error: expect.stringContaining('cannot be removed completely'),
    });
  });

  test('that is not read from an AVIF is rejected', async () => {
    const sent = await photo('avif');
    const image = { orientation: 1, metadataBlocks: [Buffer.from(xmp)] };
    expect(stripPhotoMetadata('image/avif', sent, image)).toEqual({
      error: expect.stringContaining('cannot be removed completely'),
    });
  });

  test('is removed from boxes of an AVIF that are not part of the image', async () => {
    const sent = await photo('avif');
    const added = ['uuid', 'free', 'skip'].map((type) => box(type, Buffer.from(camera)));
    const kept = await stripped('avif', Buffer.concat([sent, ...added, Buffer.from(camera)]));
    expect(kept.includes(camera)).toBe(false);
    expect((await pixels(kept)).equals(await pixels(sent))).toBe(true);
    expect((await stripped('avif', kept)).equals(kept)).toBe(true);
  });

  test('of an AVIF with a box that is longer than the file is rejected', async () => {
    const sent = await picture('avif');
    const sizeAt = sent.indexOf('mdat') - 4;
    sent.writeUInt32BE(sent.readUInt32BE(sizeAt) + 1, sizeAt);
    expect(stripPhotoMetadata('image/avif', sent, { orientation: 1, metadataBlocks: [] })).toEqual({
      error: expect.stringContaining('incomplete'),
    });
  });

  test('is found in an AVIF if it is equal to another block or part of it', async () => {
    const sent = await photo('avif');
    const block = Buffer.from(xmp);
    const image = { orientation: 1, metadataBlocks: [block, block, block.subarray(20, 80)] };
    const kept = stripPhotoMetadata('image/avif', sent, image) as Buffer;
    expect(kept.includes('GPSLatitude')).toBe(false);
  });

  test.each([
    ['jpeg', 6],
    ['png', 6],
    ['webp', 6],
    // Stored as a property of the image, which decoders apply.
    ['avif', undefined],
  ] as const)('is removed from %s except the orientation', async (format, expected) => {
    const kept = await stripped(format, await photo(format));
    const { orientation, autoOrient } = await sharp(kept).metadata();
    expect({ orientation, autoOrient }).toEqual({ orientation: expected, autoOrient: { width: 40, height: 60 } });
  });

  test('is removed from all application segments of a JPEG except JFIF, colour profile and Adobe', async () => {
    const sent = await sharp(await photo('jpeg'))
      .withIccProfile('p3')
      .toBuffer();
    const foreign = [
      jpegSegment(0xe0, `JFXX\0${camera}`),
      jpegSegment(0xe2, `MPF\0${camera}`),
      jpegSegment(0xe3, camera),
      jpegSegment(0xef, camera),
      Buffer.from(camera),
    ];
    const needed = [
      jpegSegment(0xe0, 'JFIF\0\x01\x01\0\0\x01\0\x01\0\0'),
      jpegSegment(0xee, 'Adobe\0\x64\0\0\0\0\x01'),
    ];
    const kept = await stripped('jpeg', Buffer.concat([sent.subarray(0, 2), ...needed, ...foreign, sent.subarray(2)]));
    expect(kept.includes(camera)).toBe(false);
    for (const name of ['JFIF\0', 'ICC_PROFILE\0', 'Adobe\0']) expect(kept.includes(name)).toBe(true);
    expect((await pixels(kept)).equals(await pixels(sent))).toBe(true);
  });

  test('is removed from GIF comments and XMP without changing frames and looping', async () => {
    const plain = gifOf(3);
    const looping = Buffer.from('\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0', 'latin1');
    const comment = Buffer.from(`\x21\xfe${String.fromCharCode(camera.length)}${camera}\0`, 'latin1');
    // XMP is not divided into blocks: the trailer leads every reader to its end.
    const trailer = Buffer.from([1, ...Array.from({ length: 256 }, (_, index) => 255 - index), 0]);
    const xmpExtension = Buffer.concat([Buffer.from('\x21\xff\x0bXMP DataXMP', 'latin1'), Buffer.from(xmp), trailer]);
    const [head, frames] = [plain.subarray(0, 19), plain.subarray(19)];
    const sent = Buffer.concat([head, looping, comment, xmpExtension, frames, Buffer.from(camera)]);
    expect(await stripped('gif', sent)).toEqual(Buffer.concat([head, looping, frames]));
  });

  test('is removed from a progressive JPEG with comments and trailing data', async () => {
    const sent = await photo('jpeg', true);
    const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, camera.length + 2]), Buffer.from(camera)]);
    const kept = await stripped('jpeg', Buffer.concat([sent.subarray(0, 2), comment, sent.subarray(2), sent]));
    expect(kept.includes(camera)).toBe(false);
    expect(kept.length).toBeLessThan(sent.length);
    expect((await pixels(kept)).equals(await pixels(sent))).toBe(true);
  });

  test('is removed from PNG text chunks, private chunks and trailing data', async () => {
    const sent = await photo('png');
    const text = Buffer.concat(['tEXt', 'prVt'].map((type) => pngChunk(type, Buffer.from(`Author\0${camera}`))));
    const kept = await stripped(
      'png',
      Buffer.concat([sent.subarray(0, 33), text, sent.subarray(33), Buffer.from(camera)]),
    );
    expect(kept.includes(camera)).toBe(false);
    expect((await pixels(kept)).equals(await pixels(sent))).toBe(true);
  });
});

test('names the time limit of decoding', async () => {
  const sent = await photo('png');
  vi.spyOn(sharp.prototype, 'toBuffer').mockRejectedValueOnce(new Error('timeout: 20% complete'));
  expect(await thumbnailOf(sent)).toEqual({ error: expect.stringContaining('took longer than 10 s') });
});

test('names the format of the content and of the header', async () => {
  expect(await readImage(await photo('png'), 'jpeg')).toEqual({
    error: 'its content is jpeg, but its image header declares png',
  });
});

describe('video metadata', () => {
  async function pathOf(bytes: Buffer): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'waypost-video-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'video'), bytes);
    return join(folder, 'video');
  }

  async function strippedVideo(bytes: Buffer): Promise<Buffer> {
    const path = await pathOf(bytes);
    await stripVideoMetadata(path);
    return readFile(path);
  }

  test('in an index that is too large to read is rejected', async () => {
    const large = box('moov', box('free', Buffer.alloc(33 * 2 ** 20)), box('udta', Buffer.from(gpsPosition)));
    expect(await stripVideoMetadata(await pathOf(large))).toEqual({
      error: expect.stringContaining('larger than 32 MiB'),
    });
  });

  test('is overwritten in place', async () => {
    const sent = video();
    const kept = await strippedVideo(sent);
    expect(kept.includes(gpsPosition)).toBe(false);
    expect(kept.length).toBe(sent.length);
    expect(kept.indexOf('mdat')).toBe(sent.indexOf('mdat'));
    expect(kept.subarray(sent.indexOf('mdat')).equals(sent.subarray(sent.indexOf('mdat')))).toBe(true);
    expect(kept.includes('mvhd')).toBe(true);
  });

  test('is overwritten at the top level too', async () => {
    const kept = await strippedVideo(Buffer.concat([video(), box('meta', Buffer.from(gpsPosition))]));
    expect(kept.includes(gpsPosition)).toBe(false);
  });

  test('of WebM is overwritten in place, also behind clusters of unknown length', async () => {
    const secret = Buffer.from(gpsPosition);
    const tags = element('1254c367', secret);
    const block = element('a3', Buffer.from('block'));
    const openCluster = Buffer.concat([Buffer.from('1f43b67501ffffffffffffff', 'hex'), block, block]);
    const title = element('1549a966', element('7ba9', secret), element('bf', Buffer.alloc(4)));
    const cluster = element('1f43b675', block);
    const start = webm({ width: 640, height: 360 });
    const parts = [start, title, tags, openCluster, openCluster, tags, cluster, element('1941a469', secret), tags];
    const sent = Buffer.concat(parts);
    const path = await pathOf(sent);
    expect(await stripWebmMetadata(path)).toEqual({ width: 640, height: 360 });
    const kept = await readFile(path);
    expect(kept.includes(gpsPosition)).toBe(false);
    expect(kept.length).toBe(sent.length);
    for (const part of [start, openCluster, cluster]) {
      const at = sent.indexOf(part);
      expect(kept.subarray(at, at + part.length).equals(part)).toBe(true);
    }
    const at = sent.indexOf(tags);
    expect(kept.subarray(at, at + 9).toString('hex')).toBe(`ec01${(tags.length - 9).toString(16).padStart(14, '0')}`);
    expect(await stripWebmMetadata(path)).toEqual({ width: 640, height: 360 });
    expect((await readFile(path)).equals(kept)).toBe(true);
  });

  test('of WebM with too many elements is rejected', async () => {
    const many = Buffer.concat([webm(), Buffer.alloc(400_004, Buffer.from('ec80', 'hex'))]);
    expect(await stripWebmMetadata(await pathOf(many))).toEqual({ error: expect.stringContaining('200000 elements') });
  });

  test.each([
    ['boxes that are longer than the file', Buffer.from('7fffffff6d6f6f76', 'hex')],
    ['boxes of length 0', Buffer.concat([box('ftyp'), Buffer.from('000000006d6f6f76ffffffff', 'hex')])],
    ['boxes that are shorter than their header', Buffer.from('000000036d6f6f7600000000', 'hex')],
    ['a single byte', Buffer.from('00', 'hex')],
  ])('leaves a file with %s unchanged', async (_, bytes) => {
    expect((await strippedVideo(bytes)).equals(bytes)).toBe(true);
  });
});
