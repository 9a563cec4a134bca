import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import S3rver from '@20minutes/s3rver';
import sharp from 'sharp';
import { expect } from 'vitest';
import type { TestPartner } from './api.ts';

type Caller = Pick<TestPartner, 'call'>;

interface UploadFile {
  name: string;
  bytes: Uint8Array;
  /** Content type of the form part. */
  type?: string;
}

/** Uploads a file as multipart/form-data. */
export async function uploadFile(
  caller: Caller,
  { name, bytes, type = 'application/octet-stream' }: UploadFile,
  fields: Record<string, string | string[]> = {},
  headers: Record<string, string> = {},
) {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) for (const one of [value].flat()) form.append(field, one);
  form.append('file', new File([bytes as Uint8Array<ArrayBuffer>], name, { type }));
  return uploadForm(caller, form, headers);
}

export async function uploadForm(caller: Caller, form: FormData, headers: Record<string, string> = {}) {
  const encoded = new Response(form);
  const body = new Uint8Array(await encoded.arrayBuffer());
  return caller.call('POST', '/api/dam/assets', body, {
    'content-type': encoded.headers.get('content-type') ?? '',
    ...headers,
  });
}

/** Uploads a valid file and returns the asset. */
export async function addAsset(
  caller: Caller,
  fields: Record<string, string | string[]> = {},
  file?: Partial<UploadFile>,
) {
  const sent = { name: 'terrace.png', bytes: await picture(), ...file };
  const { code, body } = await uploadFile(caller, sent, fields);
  expect(body, 'the asset was created').toMatchObject({ status: 'SUCCESS' });
  expect(code).toBe(200);
  return body.response;
}

type Format = 'png' | 'jpeg' | 'webp' | 'gif' | 'avif';

export const picture = (format: Format = 'png', width = 12, height = 8) =>
  sharp({ create: { width, height, channels: 3, background: '#c04010' } })
    .toFormat(format)
    .toBuffer();

/** A PNG whose header claims this size, with almost no data. */
export function pngBomb(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([1, 0, 0, 0, 0], 8);
  // A deflate stream with one empty block.
  const data = Buffer.from('789c030000000001', 'hex');
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([signature, pngChunk('IHDR', head), pngChunk('IDAT', data), pngChunk('IEND', Buffer.alloc(0))]);
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(named.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  named.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(named), named.length + 4);
  return chunk;
}

/** A GIF animation of one-pixel frames. */
export function gifOf(frames: number, width = 1, height = 1): Buffer {
  const screen = Buffer.from([width & 255, width >> 8, height & 255, height >> 8, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]);
  // A one-pixel frame: delay, position and colour.
  const frame = Buffer.from('21f90400010000002c0000000001000100000202440100', 'hex');
  return Buffer.concat([
    Buffer.from('GIF89a'),
    screen,
    ...Array.from({ length: frames }, () => frame),
    Buffer.from([0x3b]),
  ]);
}

export function box(type: string, ...content: Buffer[]): Buffer {
  const inner = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(inner.length + 8, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, inner]);
}

export const gpsPosition = '+50.9483+006.9192/';

interface VideoOptions {
  width: number;
  height: number;
  /** Portrait video stored as landscape with a rotation. */
  rotated?: boolean;
  version?: 0 | 1;
}

const one = 1 << 16;

/** Track header; a size of 0 means an audio track. */
function trackHeader({ width, height, rotated = false, version = 0 }: VideoOptions = { width: 0, height: 0 }): Buffer {
  const matrixAt = version === 1 ? 52 : 40;
  const head = Buffer.alloc(matrixAt + 44);
  head[0] = version;
  const matrix = rotated ? [0, one, 0, -one, 0, 0, 0, 0, 1 << 30] : [one, 0, 0, 0, one, 0, 0, 0, 1 << 30];
  for (const [index, value] of matrix.entries()) head.writeInt32BE(value, matrixAt + 4 * index);
  head.writeUInt32BE(width * one, matrixAt + 36);
  head.writeUInt32BE(height * one, matrixAt + 40);
  return box('tkhd', head);
}

/** The UUID of XMP, as editors store it. */
const xmp = () => box('uuid', Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex'), Buffer.from(gpsPosition));

/** A video with GPS positions in the movie and in a track, as phones record it, and in XMP. */
export const video = (brand = 'isom', data = Buffer.alloc(64, 7), options?: VideoOptions) =>
  Buffer.concat([
    box('ftyp', Buffer.from(`${brand}\0\0\0\0${brand}`, 'latin1')),
    box(
      'moov',
      box('mvhd', Buffer.alloc(100)),
      box('trak', trackHeader(), box('udta', box('\xa9xyz', Buffer.from(gpsPosition)))),
      ...(options ? [box('trak', trackHeader(options))] : []),
      box('udta', box('\xa9xyz', Buffer.from(gpsPosition))),
      xmp(),
    ),
    xmp(),
    box('mdat', data),
  ]);

/** A WebM element: id, length and content. */
export function element(id: string, ...inner: Buffer[]): Buffer {
  const content = Buffer.concat(inner);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(0x10000000 + content.length);
  return Buffer.concat([Buffer.from(id, 'hex'), size, content]);
}

/** A live recording, whose total length is unknown. */
export function webm(options?: VideoOptions): Buffer {
  const number = (value: number) => Buffer.from([value >> 8, value & 255]);
  const sound = element('ae', element('83', Buffer.from([2])), element('e1', Buffer.alloc(4)));
  const picture = (size: VideoOptions) =>
    element(
      'ae',
      element('83', Buffer.from([1])),
      element('e0', element('b0', number(size.width)), element('ba', number(size.height))),
    );
  return Buffer.concat([
    element('1a45dfa3', element('4282', Buffer.from('webm'))),
    Buffer.from('1853806701ffffffffffffff', 'hex'),
    element('1549a966', Buffer.alloc(20)),
    element('1654ae6b', sound, ...(options ? [picture(options)] : [])),
  ]);
}

export const pdf = () => Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n');

/** An uncompressed archive. */
export function zip(entries: Record<string, string>): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(entries)) {
    const data = Buffer.from(text);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, Buffer.from(name), data]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0', 'latin1'), common, tail, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(central.length, 8);
  end.writeUInt16LE(central.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

const officeType = (part: string, type: string) =>
  `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="${part}" ContentType="${type}"/></Types>`;

export const docx = () =>
  zip({
    '[Content_Types].xml': officeType(
      '/word/document.xml',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml',
    ),
    'word/document.xml': '<document/>',
  });

export const svg = (inner = '<rect width="10" height="10" fill="red"/>', attributes = '') =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10" ${attributes}>${inner}</svg>`);

/** An S3-compatible server that checks signatures. */
export async function startS3(): Promise<{ env: Record<string, string>; folder: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-s3-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: folder,
    configureBuckets: [{ name: 'waypost' }],
  });
  const { port } = await server.run();
  return {
    env: {
      WAYPOST_S3_BUCKET_URL: `http://127.0.0.1:${port}/waypost/files`,
      WAYPOST_S3_KEY_ID: 'S3RVER',
      WAYPOST_S3_SECRET: 'S3RVER',
    },
    folder,
    close: async () => {
      server.httpServer.closeAllConnections();
      await server.close();
      await rm(folder, { recursive: true });
    },
  };
}
