import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Permission, requirePermission } from '../../../http/access.ts';
import { missingField, Problem } from '../../../problems.ts';
import { CsvScreening, type Screened } from './csv-screening.ts';

/** A complete upload, stored on disk until the import has finished. */
export class UploadedFile {
  readonly file: { name: string; path: string; sizeBytes: number; sha256: string; screened: Screened };
  /** Whether a task owns the file. */
  isClaimed = false;

  constructor(file: UploadedFile['file']) {
    this.file = file;
  }

  /** Compared between requests with the same Idempotency-Key. */
  toJSON(): object {
    return { sha256: this.file.sha256 };
  }
}

export const uploadFolder = (dataDir: string) => join(dataDir, 'uploads');

interface Destination {
  name: string;
  folder: string;
  maxBytes: number;
}

/** Writes the upload to a file with mode 0600; deletes it when the upload is rejected. */
export async function receiveFile(chunks: AsyncIterable<Buffer>, { name, folder, maxBytes }: Destination) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${randomUUID()}.csv`);
  const file = await open(path, 'wx', 0o600);
  try {
    const screening = new CsvScreening();
    const hash = createHash('sha256');
    let sizeBytes = 0;
    for await (const chunk of chunks) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
      screening.push(chunk);
      hash.update(chunk);
      // Unlike write, it never writes only a part of the chunk.
      await file.writeFile(chunk);
    }
    return new UploadedFile({ name, path, sizeBytes, sha256: hash.digest('hex'), screened: screening.end() });
  } catch (error) {
    await removeFile(path);
    throw error;
  } finally {
    await file.close();
  }
}

export const removeFile = (path: string) => rm(path, { force: true });

/** Removes files of crashed processes that no task owns. */
export async function removeAbandonedFiles(folder: string, isNeeded: (path: string) => boolean, before: Date) {
  const names = await readdir(folder).catch(() => []);
  let removed = 0;
  for (const path of names.map((name) => join(folder, name))) {
    const { mtime } = (await stat(path).catch(() => undefined)) ?? { mtime: new Date() };
    if (mtime >= before || isNeeded(path)) continue;
    await removeFile(path);
    removed += 1;
  }
  return removed;
}

const tooLarge = (maxBytes: number) =>
  new Problem('BAD_REQUEST', {
    message:
      `The file is larger than the limit of ${Math.floor(maxBytes / 2 ** 20)} MiB. ` +
      'Split the file, or ask the operator to raise WAYPOST_UPLOAD_LIMIT.',
  });

interface UploadOptions {
  folder: string;
  maxBytes: number;
  needs: Permission;
}

const csvTypes = ['text/csv', 'application/csv', 'text/plain', 'application/vnd.ms-excel'];

/** Accepts a file as the body or as a form part, streams it to disk and sets the request body to an `UploadedFile`. */
export async function acceptUploads(scope: FastifyInstance, { folder, maxBytes, needs }: UploadOptions): Promise<void> {
  scope.removeAllContentTypeParsers();
  // Rejects unauthorized and oversized uploads before reading the body.
  scope.addHook('preParsing', async (request) => {
    if (request.caller) requirePermission(request.caller, needs);
    if (Number(request.headers['content-length'] ?? 0) > maxBytes + formOverhead) throw tooLarge(maxBytes);
  });
  const receive = (stream: Readable, name: string) => receiveFile(chunksOf(stream), { name, folder, maxBytes });

  scope.addContentTypeParser(csvTypes, async (request: FastifyRequest, payload: Readable) => {
    rejectUnsupportedEncoding(request);
    return receive(payload, 'upload.csv');
  });

  scope.addContentTypeParser('*', async () => {
    throw new Problem('BAD_REQUEST', {
      message: 'Unsupported content type. Send the file as text/csv or multipart/form-data.',
    });
  });

  // One byte above the limit, so that receiveFile detects larger files.
  await scope.register(multipart, {
    limits: {
      files: 1,
      fileSize: maxBytes + 1,
      fields: maxFields,
      fieldNameSize: 100,
      fieldSize: 1024,
      parts: maxFields + 1,
    },
    throwFileSizeLimit: false,
  });
  scope.addHook('preValidation', async (request) => {
    if (!request.isMultipart()) return;
    const part = await request.file().catch(rejectForm);
    if (!part) throw missingField('file', 'file is required. Send one CSV file as a part of the form.');
    try {
      request.body = await receive(part.file, part.filename);
    } finally {
      // Drains the rest of a rejected file; otherwise the response would not be sent.
      part.file.resume();
    }
  });

  scope.addHook('onSend', async ({ body }) => {
    if (body instanceof UploadedFile && !body.isClaimed) await removeFile(body.file.path);
  });
}

const formOverhead = 64 * 1024;
/** For fields that browsers and libraries add; the API uses none. */
const maxFields = 10;

function rejectForm(error: { code?: string }): never {
  if (!error.code?.startsWith('FST_')) throw error;
  throw new Problem('BAD_REQUEST', {
    message: `The form is invalid (${error.code}). Send one CSV file and at most ${maxFields} fields of up to 1 KiB before it.`,
  });
}

/** Keeps the stream open after an early return, because the connection is needed for the response. */
const chunksOf = (stream: Readable) => stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;

function rejectUnsupportedEncoding({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    throw new Problem('BAD_REQUEST', {
      message: `content-encoding ${encoding} is not supported. Send the file uncompressed.`,
    });
  }
  const charset = /charset="?([^";\s]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new Problem('BAD_REQUEST', { message: `charset ${charset} is not supported. Send the file in UTF-8.` });
  }
}
