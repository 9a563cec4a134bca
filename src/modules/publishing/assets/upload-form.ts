import type { Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { requirePermission } from '../../../http/access.ts';
import { readText } from '../../../http/request-values.ts';
import { invalidField, Problem } from '../../../problems.ts';
import { type ReceivedFile, receiveFile, removeReceivedFile } from '../../../storage/received-file.ts';
import { fileTitle } from './file-title.ts';

/** The file of a form, as it arrived. */
export class SentFile {
  readonly title: string;
  readonly mimeType: string;
  readonly received: ReceivedFile;

  constructor(title: string, mimeType: string, received: ReceivedFile) {
    this.title = title;
    this.mimeType = mimeType;
    this.received = received;
  }

  /** What two requests with the same Idempotency-Key are compared by. */
  toJSON(): object {
    return { title: this.title, sha256: this.received.sha256 };
  }
}

interface Accepting {
  folder: string;
  mostBytes: number;
  fields: TSchema;
}

const formOverhead = 64 * 1024;
const mostFields = 50;

/**
 * Lets the routes of this scope take a form with one file. The file goes to disk as it arrives; the body that a handler
 * sees has the form's fields, read as those of a query are, and the `SentFile`.
 */
export async function acceptForms(scope: FastifyInstance, { folder, mostBytes, fields }: Accepting): Promise<void> {
  scope.removeAllContentTypeParsers();
  // Nobody sends a file for nothing: what can be refused is refused before it arrives.
  scope.addHook('preParsing', async (request) => {
    if (request.caller) requirePermission(request.caller, 'ASSET_WRITE');
    if (Number(request.headers['content-length'] ?? 0) > mostBytes + formOverhead) throw tooLarge(mostBytes);
  });
  scope.addContentTypeParser('*', async () => {
    throw new Problem('BAD_REQUEST', { message: 'Send the file in a form, as multipart/form-data.' });
  });
  await scope.register(multipart, {
    // One byte more than is taken, so that it shows when there are more.
    limits: { files: 1, fileSize: mostBytes + 1, fields: mostFields, fieldSize: formOverhead },
    throwFileSizeLimit: false,
  });
  scope.addHook('preValidation', async (request) => {
    if (!request.isMultipart()) return;
    const given = await readForm(request, folder, mostBytes);
    // Unknown fields stay, to be named in a warning.
    request.body = { ...given, ...readText(fields, given) };
  });
  scope.addHook('onSend', async ({ body }) => {
    const { file } = (body ?? {}) as { file?: unknown };
    if (file instanceof SentFile) await removeReceivedFile(file.received);
  });
}

type Form = Record<string, unknown>;

async function readForm(request: FastifyRequest, folder: string, mostBytes: number): Promise<Form> {
  const given: Form = {};
  try {
    for await (const part of partsOf(request)) {
      if (part.type === 'field') {
        const { fieldname: name, value } = part;
        if (name === 'file') throw notAFile();
        given[name] = Object.hasOwn(given, name) ? [given[name], value].flat() : value;
      } else {
        given.file = await takeFile(part, folder, mostBytes);
      }
    }
    return given;
  } catch (error) {
    if (given.file instanceof SentFile) await removeReceivedFile(given.file.received);
    throw error;
  }
}

async function* partsOf(request: FastifyRequest) {
  try {
    yield* request.parts();
  } catch (error) {
    throw formProblem(error);
  }
}

interface FilePart {
  filename: string | undefined;
  mimetype: string;
  file: Readable;
}

async function takeFile({ filename, mimetype, file }: FilePart, folder: string, mostBytes: number): Promise<SentFile> {
  try {
    const title = fileTitle(unescaped(filename ?? ''));
    const received = await receiveFile(folder, chunksOf(file), mostBytes);
    if (received === 'too-large') throw tooLarge(mostBytes);
    return new SentFile(title, mimetype.toLowerCase(), received);
  } finally {
    // The rest of what was refused is read and forgotten; otherwise the answer would wait for it.
    file.resume();
  }
}

/** Browsers write three characters of a name in this way and no other (the HTML standard, multipart/form-data). */
const unescaped = (name: string) => name.replace(/%22|%0[AD]/gi, decodeURIComponent);

async function* chunksOf(stream: Readable): AsyncIterable<Buffer> {
  try {
    // A stream that is left in the middle is not destroyed: the connection is still needed for the answer.
    yield* stream.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw formProblem(error);
  }
}

const refusals: Record<string, string> = {
  FST_FILES_LIMIT: 'The form has more than one file. Send each in a form of its own.',
  FST_FIELDS_LIMIT: `The form has more than ${mostFields} fields.`,
  FST_PARTS_LIMIT: 'The form has too many parts.',
};

/** Of what arrives; that it cannot be kept is our fault, and not the form's. */
function formProblem(error: unknown): Problem {
  const { code = '' } = error as { code?: string };
  return new Problem('BAD_REQUEST', {
    message: refusals[code] ?? 'The form cannot be read: it is damaged or breaks off.',
  });
}

const notAFile = () =>
  invalidField('file', 'type', 'file must be a file, not a text: send it as a part of the form that has a filename.');

const tooLarge = (mostBytes: number) =>
  new Problem('BAD_REQUEST', {
    message:
      `The file is larger than ${Math.floor(mostBytes / 2 ** 20)} MiB, the most that is taken here. ` +
      'Make it smaller, or have WAYPOST_UPLOAD_LIMIT raised.',
  });
