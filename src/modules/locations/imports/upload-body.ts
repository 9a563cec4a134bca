import type { Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Permission, requirePermission } from '../../../http/access.ts';
import { Problem } from '../../../problems.ts';
import { receiveFile, removeFile, tooLarge, UploadedFile } from './uploaded-file.ts';

interface Accepting {
  folder: string;
  mostBytes: number;
  needs: Permission;
}

const csvTypes = ['text/csv', 'application/csv', 'text/plain', 'application/vnd.ms-excel'];

/**
 * Lets the routes of this scope take a file, as the body itself or as the file of a form. It goes to disk as it
 * arrives, and the body that a handler sees is the `UploadedFile`.
 */
export async function acceptUploads(scope: FastifyInstance, { folder, mostBytes, needs }: Accepting): Promise<void> {
  scope.removeAllContentTypeParsers();
  // Nobody sends a file for nothing: what can be refused is refused before it arrives.
  scope.addHook('preParsing', async (request) => {
    if (request.caller) requirePermission(request.caller, needs);
    if (Number(request.headers['content-length'] ?? 0) > mostBytes + formOverhead) throw tooLarge(mostBytes);
  });
  const receive = (stream: Readable, name: string) => receiveFile(chunksOf(stream), { name, folder, mostBytes });

  scope.addContentTypeParser(csvTypes, async (request: FastifyRequest, payload: Readable) => {
    refuseOtherEncodings(request);
    return receive(payload, 'upload.csv');
  });

  scope.addContentTypeParser('*', async () => {
    throw new Problem('BAD_REQUEST', { message: 'Send the file as text/csv, or in a form as multipart/form-data.' });
  });

  // One byte more than is taken, so that it shows when there are more.
  await scope.register(multipart, {
    limits: {
      files: 1,
      fileSize: mostBytes + 1,
      fields: mostFields,
      fieldNameSize: 100,
      fieldSize: 1024,
      parts: mostFields + 1,
    },
    throwFileSizeLimit: false,
  });
  scope.addHook('preValidation', async (request) => {
    if (!request.isMultipart()) return;
    const part = await request.file().catch(refuseForm);
    if (!part) throw noFile();
    try {
      request.body = await receive(part.file, part.filename);
    } finally {
      // The rest of what was refused is read and forgotten; otherwise the answer would wait for it.
      part.file.resume();
    }
  });

  scope.addHook('onSend', async ({ body }) => {
    if (body instanceof UploadedFile && !body.isTaken) await removeFile(body.path);
  });
}

const formOverhead = 64 * 1024;
/** The form needs none beside the file; a few more are what browsers and libraries add. */
const mostFields = 10;

function refuseForm(error: { code?: string }): never {
  if (!error.code?.startsWith('FST_')) throw error;
  throw new Problem('BAD_REQUEST', {
    message: `The form cannot be read (${error.code}). Send one CSV file and at most ${mostFields} short fields before it.`,
  });
}

/** A stream that is left in the middle is not destroyed: the connection is still needed for the answer. */
const chunksOf = (stream: Readable) => stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;

function refuseOtherEncodings({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    throw new Problem('BAD_REQUEST', { message: `Send the file as it is: content-encoding ${encoding} is not read.` });
  }
  const charset = /charset="?([^";\s]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new Problem('BAD_REQUEST', { message: `The file must be UTF-8: the charset ${charset} is not read.` });
  }
}

const noFile = () =>
  new Problem('MISSING_PARAMETER', {
    errors: [{ field: 'file', rule: 'required', message: 'The form has no file. Send one CSV file as a part of it.' }],
  });
