import { randomBytes } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import {
  addAsset,
  box,
  docx,
  gifOf,
  pdf,
  picture,
  pngBomb,
  svg,
  uploadFile,
  uploadForm,
  video,
  webm,
  zip,
} from '../../../../test/support/assets.ts';
import { runJobs } from '../../../../test/support/jobs.ts';
import { addBusiness, addLocation } from '../../../../test/support/locations.ts';
import { addUser } from '../../../../test/support/users.ts';
import { incomingFolder } from '../../../storage/received-file.ts';

let api: TestApi;
let folder: string;
let partner: TestPartner;
const env = { WAYPOST_UPLOAD_LIMIT: '1', WAYPOST_RATE_LIMIT: '100000' };
beforeAll(async () => {
  api = await TestApi.start(env);
  folder = api.services.config.dataDir;
});
afterAll(async () => {
  await api.close();
});
beforeEach(async () => {
  partner = await api.addPartner();
});

const storedFileCount = async () =>
  (await readdir(join(folder, 'files'), { recursive: true, withFileTypes: true }).catch(() => [])).filter((entry) =>
    entry.isFile(),
  ).length;

/** A rejected file leaves no row and no bytes. */
async function expectNothingStored(before: number): Promise<void> {
  await runJobs(api.database, { env });
  expect(await storedFileCount()).toBe(before);
  expect(await readdir(incomingFolder(folder)).catch(() => [])).toEqual([]);
  expect((await partner.call('GET', '/api/dam/assets')).body.response.count).toBe(0);
}

describe('accepts', () => {
  test.each([
    ['photo.jpg', () => picture('jpeg', 30, 20), { type: 'IMAGE', mimeType: 'image/jpeg', width: 30, height: 20 }],
    ['photo.JPEG', () => picture('jpeg'), { type: 'IMAGE', mimeType: 'image/jpeg' }],
    ['photo.png', () => picture('png', 30, 20), { type: 'IMAGE', mimeType: 'image/png', width: 30, height: 20 }],
    ['photo.webp', () => picture('webp'), { type: 'IMAGE', mimeType: 'image/webp', width: 12, height: 8 }],
    ['photo.gif', () => picture('gif'), { type: 'IMAGE', mimeType: 'image/gif', width: 12, height: 8 }],
    ['moving.gif', () => gifOf(20), { type: 'IMAGE', mimeType: 'image/gif', width: 1, height: 1 }],
    ['photo.avif', () => picture('avif', 64, 48), { type: 'IMAGE', mimeType: 'image/avif', width: 64, height: 48 }],
    ['logo.svg', () => svg(), { type: 'IMAGE', mimeType: 'image/svg+xml', width: 20, height: 10 }],
    ['film.mp4', () => video(), { type: 'VIDEO', mimeType: 'video/mp4' }],
    [
      'wide.mp4',
      () => video('isom', undefined, { width: 1920, height: 1080 }),
      { type: 'VIDEO', mimeType: 'video/mp4', width: 1920, height: 1080 },
    ],
    [
      'upright.mov',
      () => video('qt  ', undefined, { width: 1920, height: 1080, rotated: true, version: 1 }),
      { type: 'VIDEO', mimeType: 'video/quicktime', width: 1080, height: 1920 },
    ],
    ['film.mov', () => video('qt  '), { type: 'VIDEO', mimeType: 'video/quicktime' }],
    [
      'wide.webm',
      () => webm({ width: 1280, height: 720 }),
      { type: 'VIDEO', mimeType: 'video/webm', width: 1280, height: 720 },
    ],
    ['film.webm', () => webm(), { type: 'VIDEO', mimeType: 'video/webm' }],
    ['menu.pdf', () => pdf(), { type: 'DOCUMENT', mimeType: 'application/pdf' }],
    ['brief.docx', () => docx(), { type: 'DOCUMENT', mimeType: expect.stringContaining('wordprocessingml') }],
    [
      'brief.odt',
      () => zip({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': '<x/>' }),
      { type: 'DOCUMENT', mimeType: 'application/vnd.oasis.opendocument.text' },
    ],
    ['notes.txt', () => Buffer.from('Öffnungszeiten\n'), { type: 'DOCUMENT', mimeType: 'text/plain' }],
    ['prices.csv', () => Buffer.from('a,b\n1,2\n'), { type: 'DOCUMENT', mimeType: 'text/plain' }],
    ['no extension', () => picture('png'), { type: 'IMAGE', mimeType: 'image/png', name: 'no extension' }],
  ])('%s', async (name, bytes, expected) => {
    const { code, body } = await uploadFile(partner, { name, bytes: await bytes() });
    expect(body.message).toBeUndefined();
    expect(code).toBe(200);
    expect(body.response).toMatchObject({ name, status: 'VISIBLE', allManagedResources: true, ...expected });
    expect(body.response.thumbnailUrl !== undefined).toBe(expected.type === 'IMAGE');
  });

  test('form fields set name, folder, dates and targets', async () => {
    const business = await addBusiness(partner);
    const location = await addLocation(partner, { businessId: business.id });
    const label = (await partner.call('POST', '/api/labels', { name: 'Terrace' })).body.response;
    const target = (await partner.call('POST', '/api/dam/folders', { name: 'Summer' })).body.response;
    const asset = await addAsset(partner, {
      name: ' Our terrace ',
      description: 'In the sun',
      status: 'HIDDEN',
      folderId: String(target.id),
      startDate: '2026-06-01',
      endDate: '2026-08-31',
      locationIds: String(location.id),
      businessIds: [String(business.id), String(business.id)],
      labels: 'terrace',
    });
    expect(asset).toMatchObject({
      name: 'Our terrace',
      description: 'In the sun',
      status: 'HIDDEN',
      folderId: target.id,
      startDate: '2026-06-01',
      endDate: '2026-08-31',
      allManagedResources: false,
      locationIds: [location.id],
      businessIds: [business.id],
      labels: [label],
      createdBy: 'PRIVATE_TOKEN',
    });
    expect((await partner.call('GET', `/api/dam/assets/${asset.id}`)).body.response).toEqual(asset);
  });

  test('warns about unknown fields', async () => {
    const { body } = await uploadFile(partner, { name: 'a.png', bytes: await picture() }, { colour: 'red' });
    expect(body.warnings).toEqual(['Unknown field ignored: colour.']);
  });
});

describe('rejects, without storing anything,', () => {
  const bomb = (frames: number) => gifOf(frames);
  test.each([
    ['a JPEG named PNG', 'photo.png', () => picture('jpeg'), ['.png', 'PNG image', 'image/jpeg']],
    [
      'an executable named JPEG',
      'photo.jpg',
      () => Buffer.concat([Buffer.from('MZ'), randomBytes(300)]),
      ['photo.jpg'],
    ],
    ['a PDF named MP4', 'film.mp4', () => pdf(), ['.mp4', 'application/pdf']],
    ['an MP4 named WebM', 'film.webm', () => video(), ['.webm', 'video/mp4']],
    ['an image with two extensions', 'photo.jpg.bmp', () => picture('jpeg'), ['.bmp', 'image/jpeg']],
    ['an image with an executable extension', 'photo.jpg.exe', () => picture('jpeg'), ['.exe']],
    ['an archive', 'all.zip', () => zip({ 'a.txt': 'x' }), ['application/zip']],
    ['an archive named as a document', 'brief.docx', () => zip({ 'a.txt': 'x' }), ['application/zip']],
    ['random bytes', 'noise.bin', () => randomBytes(500), ['noise.bin']],
    ['an empty file', 'empty.png', () => Buffer.alloc(0), ['empty']],
    ['an HTML page', 'page.txt.html', () => Buffer.from('<html></html>'), ['.html']],
    ['an SVG with a script', 'logo.svg', () => svg('<script>alert(1)</script>'), ['<script>']],
    ['an SVG with an event handler', 'logo.svg', () => svg('', 'onload="alert(1)"'), ['onload']],
    ['an SVG with a script and another name', 'logo.txt', () => svg('<script/>'), ['<script>']],
    [
      'an SVG whose style refers to another file after its metadata is removed',
      'logo.svg',
      () => svg('<style>.a{fill:ur<metadata>x</metadata>l(//e.example/f)}</style>'),
      ['e.example'],
    ],
    ['an SVG named PNG', 'logo.png', () => svg(), ['.png', 'image/svg+xml']],
    ['an image of 50,000 × 50,000 pixels', 'bomb.png', () => pngBomb(50_000, 50_000), ['50000 × 50000']],
    ['an image of 20,000 × 20,000 pixels', 'bomb.png', () => pngBomb(20_000, 20_000), ['20000 × 20000']],
    [
      'an SVG of 100,000 × 100,000 pixels',
      'bomb.svg',
      () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="100000" height="100000"/>'),
      ['bomb.svg'],
    ],
    ['an animation of 1,001 frames', 'bomb.gif', () => bomb(1001), ['1001 frames']],
    ['an incomplete PNG', 'half.png', async () => (await noise()).subarray(0, 2000), ['damaged']],
    ['an incomplete JPEG', 'half.jpg', async () => (await noise('jpeg')).subarray(0, 2000), ['damaged']],
    ['a file one byte above the limit', 'large.txt', () => Buffer.alloc(2 ** 20 + 1, 'a'), ['larger than 1 MiB']],
    ['a file far above the limit', 'large.txt', () => Buffer.alloc(3 * 2 ** 20, 'a'), ['larger than 1 MiB']],
    ['a video of 30,000 boxes', 'boxes.mp4', () => manyBoxes(30_000), ['not a valid video']],
    ['a video with nested tracks', 'deep.mp4', () => nestedBoxes(20_000), ['not a valid video']],
    ['a name with a bidirectional character', 'gpj.\u202eexe', () => picture(), ['U+202E']],
    ['a name of dots', '..', () => picture(), ['no name']],
  ])('%s', async (_, name, bytes, expectedText) => {
    const before = await storedFileCount();
    const { code, body } = await uploadFile(partner, { name, bytes: await bytes() });
    expect(code).toBe(400);
    for (const part of expectedText) expect(body.message).toContain(part);
    await expectNothingStored(before);
  });

  test('a content type that does not match the content', async () => {
    const before = await storedFileCount();
    const file = { name: 'photo.png', bytes: await picture(), type: 'image/jpeg' };
    const { code, body } = await uploadFile(partner, file);
    expect({ code, ...body }).toMatchObject({ code: 400, status: 'INVALID_PARAMETER', errors: [{ field: 'file' }] });
    expect(body.message).toContain('image/jpeg');
    expect(body.message).toContain('image/png');
    await expectNothingStored(before);
  });

  test.each([
    [{ folderId: '999999999' }, 400, 'folder 999999999'],
    [{ locationIds: '999999999' }, 400, 'location 999999999'],
    [{ businessIds: '999999999' }, 400, 'business 999999999'],
    [{ labels: 'Nowhere' }, 400, 'label Nowhere'],
    [{ startDate: '2026-13-01' }, 400, 'startDate'],
    [{ startDate: '2026-02-02', endDate: '2026-02-01' }, 400, 'endDate'],
    [{ status: 'SECRET' }, 400, 'status'],
    [{ folderId: 'top' }, 400, 'folderId'],
    [{ name: 'a\u0007b' }, 400, 'U+0007'],
    [{ name: 'x'.repeat(300) }, 400, 'name'],
    [{ allManagedResources: 'true', labels: '1' }, 400, 'allManagedResources'],
    [{ allManagedResources: 'false' }, 400, 'no target'],
  ])('the fields %j', async (fields, expected, expectedText) => {
    const before = await storedFileCount();
    const { code, body } = await uploadFile(partner, { name: 'a.png', bytes: await picture() }, fields as never);
    expect(code).toBe(expected);
    expect(body.message).toContain(expectedText);
    await expectNothingStored(before);
  });

  test('a form without a file, a form with two files, and JSON', async () => {
    const before = await storedFileCount();
    const without = new FormData();
    without.append('name', 'Nothing');
    expect(await uploadForm(partner, without)).toMatchObject({ code: 400, body: { status: 'MISSING_PARAMETER' } });
    const two = new FormData();
    for (const name of ['a.png', 'b.png']) two.append('file', new File([new Uint8Array(await picture())], name));
    expect((await uploadForm(partner, two)).body.message).toContain('more than one file');
    const text = new FormData();
    text.append('file', new File([new Uint8Array(await picture())], 'a.png'));
    text.append('file', 'words');
    expect(await uploadForm(partner, text)).toMatchObject({ code: 400, body: { errors: [{ field: 'file' }] } });
    const onlyText = new FormData();
    onlyText.append('file', 'words');
    expect(await uploadForm(partner, onlyText)).toMatchObject({ code: 400, body: { errors: [{ field: 'file' }] } });
    const json = await partner.call('POST', '/api/dam/assets', { name: 'x' });
    expect(json).toMatchObject({ code: 400, body: { message: expect.stringContaining('multipart/form-data') } });
    const broken = await partner.call('POST', '/api/dam/assets', 'garbage', {
      'content-type': 'multipart/form-data; boundary=x',
    });
    expect(broken.code).toBe(400);
    await expectNothingStored(before);
  });
});

const fileTypeBox = box('ftyp', Buffer.from('isom\0\0\0\0isom', 'latin1'));
const manyBoxes = (count: number) => Buffer.concat([fileTypeBox, ...Array(count).fill(box('free'))]);

/** Headers of nested boxes without other content. */
function nestedBoxes(count: number): Buffer {
  const headers = Array.from({ length: count }, (_, depth) => {
    const header = Buffer.alloc(8);
    header.writeUInt32BE(8 * (count - depth), 0);
    header.write(depth === 0 ? 'moov' : 'trak', 4, 'latin1');
    return header;
  });
  return Buffer.concat([fileTypeBox, ...headers]);
}

const noise = (format: 'png' | 'jpeg' = 'png') =>
  sharp({
    create: {
      width: 200,
      height: 200,
      channels: 3,
      background: 'white',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .toFormat(format)
    .toBuffer();

describe('storage failures are server errors and logged', () => {
  const uploadWith = async (settings: NodeJS.ProcessEnv) => {
    const broken = await TestApi.start({ ...env, ...settings });
    try {
      const response = await uploadFile(await broken.addPartner(), { name: 'a.png', bytes: await picture() });
      const failed = broken.logLines.find(({ event }) => event === 'request.failed');
      return { ...response, logged: JSON.stringify(failed) };
    } finally {
      await broken.close();
    }
  };
  const serverError = { code: 500, body: { message: expect.stringMatching(/^Internal server error \(request /) } };

  test('a folder that is not writable', async () => {
    const blocked = join(folder, 'blocked');
    await mkdir(blocked);
    await writeFile(incomingFolder(blocked), '');
    const response = await uploadWith({ WAYPOST_DATA_DIR: blocked });
    expect(response).toMatchObject({ ...serverError, logged: expect.stringContaining('EEXIST') });
  });

  test('an unreachable bucket', async () => {
    const response = await uploadWith({
      WAYPOST_S3_BUCKET_URL: 'http://127.0.0.1:1/waypost',
      WAYPOST_S3_KEY_ID: 'key',
      WAYPOST_S3_SECRET: 'secret',
    });
    expect(response).toMatchObject({
      ...serverError,
      logged: expect.stringContaining('The S3 store cannot be reached'),
    });
  });
});

test('never logs the credentials of an upload', async () => {
  const verbose = await TestApi.start({ ...env, WAYPOST_LOG_LEVEL: 'trace' });
  const sender = await verbose.addPartner();
  const headers = { cookie: 'session=cookie-secret', 'x-api-key': 'header-secret' };
  expect((await uploadFile(sender, { name: 'a.png', bytes: await picture() }, {}, headers)).code).toBe(200);
  const log = JSON.stringify(verbose.logLines);
  expect(log).toContain('busboyOptions');
  for (const secret of [sender.privateKey, 'cookie-secret', 'header-secret']) expect(log).not.toContain(secret);
  await verbose.close();
});

describe('permissions', () => {
  test('require ASSET_WRITE, checked before the upload', async () => {
    const reader = await addUser(api, partner, { role: 'BUSINESS_MANAGER', features: ['ASSET_READ'] });
    expect((await uploadFile(reader, { name: 'a.png', bytes: await picture() })).code).toBe(403);
    expect((await uploadFile(api, { name: 'a.png', bytes: await picture() })).code).toBe(401);
  });
});

describe('a repeated form', () => {
  test('with the same Idempotency-Key is stored once, also concurrently', async () => {
    const before = await storedFileCount();
    const bytes = await picture();
    const send = () => uploadFile(partner, { name: 'once.png', bytes }, {}, { 'idempotency-key': 'once' });
    const responses = [...(await Promise.all([send(), send(), send()])), await send()];
    const ids = new Set(responses.map(({ body }) => body.response.id));
    expect(ids.size).toBe(1);
    expect((await partner.call('GET', '/api/dam/assets')).body.response.count).toBe(1);
    await runJobs(api.database, { env });
    expect(await storedFileCount()).toBe(before + 2);
  });

  test('with other bytes and the same key is rejected', async () => {
    const key = { 'idempotency-key': 'twice' };
    expect((await uploadFile(partner, { name: 'a.png', bytes: await picture() }, {}, key)).code).toBe(200);
    const other = await uploadFile(partner, { name: 'a.png', bytes: await picture('png', 20, 20) }, {}, key);
    expect(other.code).toBe(409);
  });
});

test('keeps the file if the connection breaks after the commit', async () => {
  const { database } = api;
  const commit = database.transaction.bind(database);
  const breaking = vi.spyOn(database, 'transaction').mockImplementationOnce(async (work) => {
    await commit(work);
    throw new Error('Connection terminated unexpectedly');
  });
  const upload = await uploadFile(partner, { name: 'photo.png', bytes: await picture('png') });
  breaking.mockRestore();
  expect(upload.code).toBe(503);
  await runJobs(database, { env });
  const { rows } = await database.pool.query('select file_name from assets where partner_id = $1', [
    partner.partner.id,
  ]);
  expect(rows).toHaveLength(1);
  expect(await api.services.files.exists(rows[0].file_name)).toBe(true);
});

test('rejects a file above the storage limit of the partner', async () => {
  const small = await TestApi.start({ ...env, WAYPOST_STORAGE_LIMIT: '1' });
  const full = await small.addPartner();
  const file = { name: 'a.txt', bytes: Buffer.alloc(600_000, 'x') };
  expect((await uploadFile(full, file)).code).toBe(200);
  const rejected = await uploadFile(full, file);
  expect(rejected).toMatchObject({ code: 400, body: { status: 'USER_ERROR', errorCode: 'LIMIT_REACHED' } });
  expect(rejected.body.message).toContain('0.6 of 1 MiB are used');
  expect((await uploadFile(await small.addPartner(), file)).code).toBe(200);
  await small.close();
});

test('concurrent uploads do not exceed the storage limit', async () => {
  const small = await TestApi.start({ ...env, WAYPOST_STORAGE_LIMIT: '1' });
  const full = await small.addPartner();
  const file = { name: 'a.txt', bytes: Buffer.alloc(600_000, 'x') };
  const { pool } = small.database;
  const blocker = await pool.connect();
  await blocker.query('begin; lock table assets in share mode');
  const uploads = [uploadFile(full, file), uploadFile(full, file)];
  // Both have passed the first check and neither can commit yet.
  const waiting = async () =>
    (await pool.query("select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"))
      .rowCount;
  await expect.poll(waiting).toBe(2);
  await blocker.query('commit');
  blocker.release();
  expect((await Promise.all(uploads)).map(({ code }) => code).sort()).toEqual([200, 400]);
  await small.close();
});
