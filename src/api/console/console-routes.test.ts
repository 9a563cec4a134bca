import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../config.ts';
import { registerErrorHandler } from '../../http/envelope.ts';
import type { Services } from '../../http/services.ts';
import { secureHeaders } from '../server.ts';
import { consoleRoutes } from './console-routes.ts';

const page =
  '<!doctype html><meta property="csp-nonce" nonce="{{nonce}}"><meta name="waypost-demo" content="{{demo}}">';
const script = 'console.log("hello");';

function serve(folder: string, env: NodeJS.ProcessEnv = {}): FastifyInstance {
  const server = fastify();
  registerErrorHandler(server);
  secureHeaders(server);
  consoleRoutes(server, { config: readConfig(env) } as Services, folder);
  return server;
}

describe('a built console', () => {
  let folder: string;
  let server: FastifyInstance;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'waypost-built-'));
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), page);
    writeFileSync(join(folder, 'favicon.svg'), '<svg/>');
    writeFileSync(join(folder, 'built-from'), 'secret of the build');
    writeFileSync(join(folder, 'assets/main-Ab12.js'), script);
    writeFileSync(join(folder, 'assets/main-Ab12.js.br'), brotliCompressSync(script));
    writeFileSync(join(folder, 'assets/main-Ab12.js.gz'), gzipSync(script));
    server = serve(folder, { WAYPOST_DEMO: 'off' });
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const get = (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers });

  test('serves one uncached page for every path', async () => {
    for (const url of ['/console', '/console/', '/console/settings/webhooks', '/console/locations/17?tab=hours']) {
      const response = await get(url);
      expect(response.statusCode).toBe(200);
      expect(response.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
      });
      expect(response.body).toContain('waypost-demo" content="off"');
    }
  });

  test('is the target of the root path', async () => {
    expect(await get('/')).toMatchObject({ statusCode: 302, headers: { location: '/console' } });
  });

  test('has a CSP that allows its own scripts, and styles with a nonce', async () => {
    const [one, two] = [await get('/console'), await get('/console')];
    const policyOf = (response: typeof one) => String(response.headers['content-security-policy']);
    const nonceOf = (response: typeof one) => /nonce="([^"]+)"/.exec(response.body)?.[1] ?? '';
    expect(policyOf(one)).toContain("default-src 'none'; script-src 'self';");
    expect(policyOf(one)).not.toContain('unsafe');
    expect(policyOf(one)).toContain("frame-ancestors 'none'");
    expect(policyOf(one)).toContain(`style-src 'self' 'nonce-${nonceOf(one)}'`);
    expect(Buffer.from(nonceOf(one), 'base64')).toHaveLength(16);
    expect(nonceOf(one)).not.toBe(nonceOf(two));
    expect(one.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' });
  });

  test('sends immutable files in the best accepted encoding', async () => {
    const forms = [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip', 'gzip', gunzipSync],
      ['identity', undefined, (bytes: Buffer) => bytes],
    ] as const;
    for (const [accepted, encoding, read] of forms) {
      const response = await get('/console/assets/main-Ab12.js', { 'accept-encoding': accepted });
      expect(response.headers['content-encoding']).toBe(encoding);
      expect(response.headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
      });
      expect(read(response.rawPayload).toString()).toBe(script);
    }
  });

  test('returns 404 for a file of another build', async () => {
    expect((await get('/console/assets/main-Old1.js')).statusCode).toBe(404);
  });

  test('serves no other files', async () => {
    for (const url of [
      '/console/built-from',
      '/console/../package.json',
      '/console/%2e%2e/package.json',
      '/console/assets/..%2f..%2fpackage.json',
    ]) {
      const response = await get(url);
      expect(response.body).not.toContain('secret of the build');
      expect(response.body).not.toContain('"dependencies"');
    }
  });
});

test('explains how to build a missing console', async () => {
  const server = serve(join(tmpdir(), 'waypost-nothing-here'));
  const response = await server.inject('/console');
  expect(response.statusCode).toBe(503);
  expect(response.body).toContain('npm start');
  expect(response.body).toContain('setup/with-runtime node console/build.ts');
  await server.close();
});
