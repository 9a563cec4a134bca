import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, onTestFinished, test } from 'vitest';
import { box, gpsPosition, pngChunk, video } from '../../../../test/support/assets.ts';
import { readImage, stripPhotoMetadata } from './photo-metadata.ts';
import { stripVideoMetadata } from './video-metadata.ts';

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

async function stripped(format: 'jpeg' | 'png' | 'webp' | 'avif', bytes: Buffer): Promise<Buffer> {
  const image = await readImage(bytes, format);
  if ('error' in image) throw new Error(image.error);
  return stripPhotoMetadata(`image/${format}`, bytes, image.orientation, image.metadataBlocks);
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
    },
  );

  test('in blocks that are too short is ignored', async () => {
    const sent = await photo('avif');
    const kept = stripPhotoMetadata('image/avif', sent, 1, [Buffer.from([sent.at(-1) ?? 0])]);
    expect(kept.equals(sent)).toBe(true);
  });

  test.each(['jpeg', 'webp'] as const)('is removed from %s except the orientation', async (format) => {
    const kept = await stripped(format, await photo(format));
    const { orientation, autoOrient } = await sharp(kept).metadata();
    expect({ orientation, autoOrient }).toEqual({ orientation: 6, autoOrient: { width: 40, height: 60 } });
  });

  test('is removed from a progressive JPEG with comments and trailing data', async () => {
    const sent = await photo('jpeg', true);
    const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, camera.length + 2]), Buffer.from(camera)]);
    const kept = await stripped('jpeg', Buffer.concat([sent.subarray(0, 2), comment, sent.subarray(2), sent]));
    expect(kept.includes(camera)).toBe(false);
    expect(kept.length).toBeLessThan(sent.length);
    expect((await pixels(kept)).equals(await pixels(sent))).toBe(true);
  });

  test('is removed from PNG text chunks and trailing data', async () => {
    const sent = await photo('png');
    const text = pngChunk('tEXt', Buffer.from(`Author\0${camera}`));
    const kept = await stripped(
      'png',
      Buffer.concat([sent.subarray(0, 33), text, sent.subarray(33), Buffer.from(camera)]),
    );
    expect(kept.includes(camera)).toBe(false);
    expect((await pixels(kept)).equals(await pixels(sent))).toBe(true);
  });
});

describe('video metadata', () => {
  async function strippedVideo(bytes: Buffer): Promise<Buffer> {
    const folder = await mkdtemp(join(tmpdir(), 'waypost-video-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'video'), bytes);
    await stripVideoMetadata(join(folder, 'video'));
    return readFile(join(folder, 'video'));
  }

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

  test.each([
    ['boxes that are longer than the file', Buffer.from('7fffffff6d6f6f76', 'hex')],
    ['boxes of length 0', Buffer.concat([box('ftyp'), Buffer.from('000000006d6f6f76ffffffff', 'hex')])],
    ['boxes that are shorter than their header', Buffer.from('000000036d6f6f7600000000', 'hex')],
    ['a single byte', Buffer.from('00', 'hex')],
  ])('leaves a file with %s unchanged', async (_, bytes) => {
    expect((await strippedVideo(bytes)).equals(bytes)).toBe(true);
  });
});
