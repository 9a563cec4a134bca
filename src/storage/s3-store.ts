import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import type { Dispatcher, Pool } from 'undici';
import type { Config } from '../config.ts';
import { type ByteRange, checkFileName, type FileStore, type OpenFile } from './file-store.ts';
import { incomingFolder, receiveFile, removeReceivedFile } from './received-file.ts';

type S3Settings = Pick<Config, 's3Region' | 's3KeyId' | 's3Secret' | 'dataDir'>;

const connections = 16;
const timeoutMs = 30_000;
/** Delays before retries. All requests are idempotent. */
const retryDelaysMs = [200, 1000];
const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  name: string;
  sha256?: string;
  headers?: Record<string, string>;
  body?: () => Readable;
}

/**
 * Files in an S3 bucket. Uploads are first written to a local file: a signed request needs the length and the hash, and
 * can then be retried.
 */
export class S3Store implements FileStore {
  readonly #settings: S3Settings;
  readonly #base: URL;
  /** Opened by the first request: processes without S3 do not load the package. */
  #pool: Promise<Pool> | undefined;

  /** `bucketUrl` is https://bucket.host or https://host/bucket, optionally with a path. */
  constructor(bucketUrl: string, settings: S3Settings) {
    this.#settings = settings;
    this.#base = new URL(bucketUrl.replace(/\/?$/, '/'));
  }

  async put(name: string, content: AsyncIterable<Uint8Array>): Promise<{ sizeBytes: number }> {
    checkFileName(name);
    const received = await receiveFile(incomingFolder(this.#settings.dataDir), content);
    if (received === 'too-large') throw new Error('Unexpected size limit.');
    const { path, sizeBytes, sha256 } = received;
    try {
      const headers = { 'content-length': String(sizeBytes), 'content-type': 'application/octet-stream' };
      const { statusCode, body } = await this.#send({
        method: 'PUT',
        name,
        sha256,
        headers,
        body: () => createReadStream(path),
      });
      if (statusCode !== 200) throw await s3Error('put', name, statusCode, body);
      await body.dump();
      return { sizeBytes };
    } finally {
      await removeReceivedFile(received);
    }
  }

  async read(name: string, range?: ByteRange): Promise<OpenFile | undefined> {
    const headers = range ? { range: `bytes=${range.from}-${range.to}` } : {};
    const response = await this.#send({ method: 'GET', name, headers });
    const { statusCode, body } = response;
    if (statusCode === 404) {
      await body.dump();
      return undefined;
    }
    if (statusCode !== 200 && statusCode !== 206) throw await s3Error('read', name, statusCode, body);
    if (!range) return { stream: body, sizeBytes: Number(response.headers['content-length']) };
    const [, from, to, whole] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(String(response.headers['content-range'])) ?? [];
    if (Number(from) === range.from && Number(to) === range.to) return { stream: body, sizeBytes: Number(whole) };
    body.destroy();
    throw new Error(`The S3 store returned ${response.headers['content-range']} for the range ${headers.range}.`);
  }

  async exists(name: string): Promise<boolean> {
    const { statusCode, body } = await this.#send({ method: 'HEAD', name });
    if (statusCode !== 200 && statusCode !== 404) throw await s3Error('find', name, statusCode, body);
    await body.dump();
    return statusCode === 200;
  }

  async remove(name: string): Promise<void> {
    const { statusCode, body } = await this.#send({ method: 'DELETE', name });
    if (![200, 204, 404].includes(statusCode)) throw await s3Error('remove', name, statusCode, body);
    await body.dump();
  }

  async close(): Promise<void> {
    await (await this.#pool)?.close();
  }

  async #send(request: S3Request): Promise<Dispatcher.ResponseData> {
    checkFileName(request.name);
    for (const delayMs of retryDelaysMs) {
      const response = await this.#sendOnce(request).catch((error: Error) => error);
      if (!(response instanceof Error)) {
        if (response.statusCode < 500 && response.statusCode !== 429) return response;
        await response.body.dump();
      }
      await pause(delayMs);
    }
    return this.#sendOnce(request);
  }

  async #sendOnce({ method, name, sha256 = emptySha256, headers = {}, body }: S3Request) {
    const { s3Region: region, s3KeyId: accessKeyId = '', s3Secret: secretAccessKey = '' } = this.#settings;
    const { range, ...signable } = headers;
    const signer = new AwsV4Signer({
      method,
      url: new URL(name, this.#base).href,
      headers: { ...signable, 'x-amz-content-sha256': sha256 },
      accessKeyId,
      secretAccessKey,
      service: 's3',
      region,
    });
    const signed = await signer.sign();
    this.#pool ??= openPool(this.#base.origin);
    const pool = await this.#pool;
    const sent = pool.request({
      method,
      path: signed.url.pathname + signed.url.search,
      headers: { ...Object.fromEntries(signed.headers), ...(range !== undefined && { range }) },
      ...(body && { body: body() }),
    });
    return sent.catch((error: Error) => {
      throw new Error(`The S3 store cannot be reached: ${error.message || error.name}`, { cause: error });
    });
  }
}

async function openPool(origin: string): Promise<Pool> {
  const { Pool } = await import('undici');
  return new Pool(origin, { connections, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
}

async function s3Error(action: string, name: string, statusCode: number, body: { text(): Promise<string> }) {
  const text = await body.text().catch(() => '');
  const [, code = ''] = /<Code>([^<]{1,100})<\/Code>/.exec(text) ?? [];
  return new Error(`The S3 store failed to ${action} ${name}: ${statusCode} ${code}`.trim());
}
