import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addAsset, gpsPosition, pdf, picture, startS3, svg, video } from '../../../../test/support/assets.ts';
import { runJobs } from '../../../../test/support/jobs.ts';

let s3: Awaited<ReturnType<typeof startS3>>;
beforeAll(async () => {
  s3 = await startS3();
});
afterAll(async () => {
  await s3.close();
});

describe.each(['in the data folder', 'in an S3-compatible store'])('the file of an asset %s', (storage) => {
  let api: TestApi;
  let partner: TestPartner;
  let env: Record<string, string>;
  beforeAll(async () => {
    env = storage === 'in the data folder' ? {} : s3.env;
    api = await TestApi.start(env);
    partner = await api.addPartner();
  });
  afterAll(() => api.close());

  const get = async (url: string, headers: Record<string, string> = {}, method = 'GET') => {
    const response = await fetch(url, { headers, method });
    return { code: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  };

  test('is public by its URL and cannot run scripts', async () => {
    const bytes = await picture('jpeg');
    const asset = await addAsset(partner, {}, { name: 'Café "Süd".jpg', bytes });
    expect(asset.url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${api.port}/api/dam/files/[\\w-]{32}\\.jpg$`));
    const response = await get(asset.url);
    expect(response.code).toBe(200);
    expect(response.bytes.length).toBe(asset.sizeBytes);
    expect((await sharp(response.bytes).metadata()).width).toBe(12);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(asset.sizeBytes),
      'content-disposition': `inline; filename="Cafe _Sud_.jpg"; filename*=UTF-8''Caf%C3%A9%20%22S%C3%BCd%22.jpg`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/default-src 'none'.*sandbox$/),
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=3600',
    });
  });

  test('has an upright thumbnail of at most 400 pixels', async () => {
    const bytes = await sharp(await picture('jpeg', 1600, 1000))
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const asset = await addAsset(partner, {}, { name: 'wide.jpg', bytes });
    expect(asset).toMatchObject({ width: 1000, height: 1600 });
    const { headers, bytes: small } = await get(asset.thumbnailUrl);
    expect(headers.get('content-type')).toBe('image/webp');
    expect(await sharp(small).metadata()).toMatchObject({ format: 'webp', width: 250, height: 400 });
  });

  test('is an attachment on request; documents always are', async () => {
    const image = await addAsset(partner);
    expect((await get(`${image.url}?download=true`)).headers.get('content-disposition')).toMatch(/^attachment/);
    const menu = await addAsset(partner, { name: 'Menu' }, { name: 'menu.pdf', bytes: pdf() });
    expect((await get(menu.url)).headers.get('content-disposition')).toMatch(/^attachment; filename="Menu\.pdf"/);
    const logo = await addAsset(partner, {}, { name: 'logo.svg', bytes: svg() });
    expect((await get(logo.url)).headers.get('content-type')).toBe('image/svg+xml');
  });

  test('supports ranges and contains no GPS position', async () => {
    const sent = video('isom', Buffer.from('abcdefghijklmnopqrstuvwxyz'));
    const asset = await addAsset(partner, {}, { name: 'film.mp4', bytes: sent });
    const whole = await get(asset.url);
    expect(whole.headers.get('accept-ranges')).toBe('bytes');
    expect(whole.bytes.length).toBe(sent.length);
    expect(whole.bytes.includes(gpsPosition)).toBe(false);
    const part = await get(asset.url, { range: 'bytes=-3' });
    expect(part.code).toBe(206);
    expect(part.bytes.toString()).toBe('xyz');
    expect(part.headers.get('content-range')).toBe(`bytes ${sent.length - 3}-${sent.length - 1}/${sent.length}`);
    const outOfRange = await get(asset.url, { range: `bytes=${sent.length}-` });
    expect(outOfRange.code).toBe(416);
    expect(outOfRange.headers.get('content-range')).toBe(`bytes */${sent.length}`);
    expect((await get(asset.url, { range: 'bytes=1-2', 'if-range': '"another"' })).code).toBe(200);
    const etag = whole.headers.get('etag') ?? '';
    expect((await get(asset.url, { range: 'bytes=1-2', 'if-range': etag })).code).toBe(206);
    expect((await get(asset.url, { 'if-none-match': etag })).code).toBe(304);
    const head = await get(asset.url, {}, 'HEAD');
    expect([head.code, head.headers.get('content-length'), head.bytes.length]).toEqual([200, String(sent.length), 0]);
  });

  test('cannot be read with another token', async () => {
    const { url } = await addAsset(partner);
    for (const other of [
      `${url.slice(0, -9)}AAAAA.png`,
      `${url}x/y`,
      url.replace(/files\/.*/, 'files/..%2f..%2fmaster.key'),
    ]) {
      expect((await get(other)).code).toBe(404);
    }
  });

  test('is deleted with the asset', async () => {
    const asset = await addAsset(partner);
    const names = async () => {
      const { rows } = await api.database.pool.query('select file_name, thumbnail_name from assets where id = $1', [
        asset.id,
      ]);
      return Object.values(rows[0] as Record<string, string>);
    };
    const stored = await names();
    for (const name of stored) expect(await api.services.files.exists(name)).toBe(true);
    expect((await partner.call('DELETE', `/api/dam/assets/${asset.id}`)).body.response).toEqual({ success: true });
    expect((await get(asset.url)).code).toBe(404);
    expect((await get(asset.thumbnailUrl)).code).toBe(404);
    await runJobs(api.database, { env });
    for (const name of stored) expect(await api.services.files.exists(name)).toBe(false);
    expect(await readdir(join(api.services.config.dataDir, 'incoming'))).toEqual([]);
  });

  test('returns 404 if its bytes are missing', async () => {
    const asset = await addAsset(partner);
    const { rows } = await api.database.pool.query('select file_name from assets where id = $1', [asset.id]);
    await api.services.files.remove(rows[0].file_name);
    expect((await get(asset.url)).code).toBe(404);
  });
});

test('URLs use WAYPOST_PUBLIC_URL', async () => {
  const api = await TestApi.start({ WAYPOST_PUBLIC_URL: 'https://files.example.com/' });
  const asset = await addAsset(await api.addPartner());
  expect(asset.url).toMatch(/^https:\/\/files\.example\.com\/api\/dam\/files\/[\w-]{32}\.png$/);
  await api.close();
});

test('URLs ignore the Host header', async () => {
  const api = await TestApi.start();
  const partner = await api.addPartner();
  const { id, url } = await addAsset(partner);
  const { port, origin } = new URL(url);
  const urlFor = (host: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = { host, privatekey: partner.privateKey };
      request(`${origin}/api/dam/assets/${id}`, { headers }, (response) =>
        text(response).then((body) => resolve(JSON.parse(body).response.url), reject),
      )
        .on('error', reject)
        .end();
    });
  expect(await urlFor('evil.example')).toBe(url);
  expect(await urlFor(`localhost:${Number(port) + 1}`)).toBe(url);
  expect(await urlFor(`localhost:${port}`)).toBe(url.replace('127.0.0.1', 'localhost'));
  await api.close();
});
