import type { Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { requirePermission } from '../../../http/access.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { readText } from '../../../http/validation.ts';
import { invalidField, Problem } from '../../../problems.ts';
import { releaseUnconfirmedFiles } from '../../../storage/pending-files.ts';
import { incomingFolder, type ReceivedFile, receiveFile, removeReceivedFile } from '../../../storage/received-file.ts';
import { AssetName, AssetResponse, detailFields } from './asset.ts';
import { assetResponseOf } from './asset-routes.ts';
import { createAsset, namesOf, requireStorage, reserveStorage, storeAssetFile } from './change-asset.ts';
import type { DeclaredFile } from './file-content.ts';
import { FileInspector } from './file-inspector.ts';
import { readFileName } from './file-kind.ts';

class UploadedFile {
  readonly declared: DeclaredFile;
  readonly received: ReceivedFile;

  constructor(declared: DeclaredFile, received: ReceivedFile) {
    this.declared = declared;
    this.received = received;
  }

  /** Compared by the idempotency check. */
  toJSON(): object {
    return { title: this.declared.title, sha256: this.received.sha256 };
  }
}

const formOverhead = 64 * 1024;
const maxFields = 50;

/**
 * Parses multipart forms with one file in this scope. The file is streamed to disk; fields are parsed like query
 * parameters.
 */
async function acceptUploads(scope: FastifyInstance, folder: string, maxBytes: number): Promise<void> {
  scope.removeAllContentTypeParsers();
  // Reject before the file is uploaded where possible.
  scope.addHook('preParsing', async (request) => {
    if (request.caller) requirePermission(request.caller, 'ASSET_WRITE');
    if (Number(request.headers['content-length'] ?? 0) > maxBytes + formOverhead) throw tooLarge(maxBytes);
  });
  scope.addContentTypeParser('*', async () => {
    throw new Problem('BAD_REQUEST', { message: 'Send the file as multipart/form-data.' });
  });
  await scope.register(multipart, {
    // One byte above the limit, to detect files that exceed it.
    limits: { files: 1, fileSize: maxBytes + 1, fields: maxFields, fieldSize: formOverhead },
    throwFileSizeLimit: false,
  });
  scope.addHook('preValidation', async (request) => {
    if (!request.isMultipart()) return;
    const given = await readForm(request, folder, maxBytes);
    // Unknown fields are kept for the warning.
    request.body = { ...given, ...readText(UploadForm, given) };
  });
  scope.addHook('onSend', async ({ body }) => {
    const { file } = (body ?? {}) as { file?: unknown };
    if (file instanceof UploadedFile) await removeReceivedFile(file.received);
  });
}

type Form = Record<string, unknown>;

async function readForm(request: FastifyRequest, folder: string, maxBytes: number): Promise<Form> {
  const given: Form = {};
  try {
    for await (const part of partsOf(request)) {
      if (part.type === 'field') {
        const { fieldname: name, value } = part;
        if (name === 'file') throw notAFile();
        given[name] = Object.hasOwn(given, name) ? [given[name], value].flat() : value;
      } else {
        given.file = await saveFile(part, folder, maxBytes);
      }
    }
    return given;
  } catch (error) {
    if (given.file instanceof UploadedFile) await removeReceivedFile(given.file.received);
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

async function saveFile(
  { filename, mimetype, file }: FilePart,
  folder: string,
  maxBytes: number,
): Promise<UploadedFile> {
  try {
    const title = readFileName(unescaped(filename ?? ''));
    const received = await receiveFile(folder, chunksOf(file), maxBytes);
    if (received === 'too-large') throw tooLarge(maxBytes);
    return new UploadedFile({ title, mimeType: mimetype.toLowerCase() }, received);
  } finally {
    // Drain the rest of a rejected file, otherwise the response would wait for it.
    file.resume();
  }
}

/** Browsers escape only these characters: HTML standard, multipart/form-data encoding algorithm. */
const unescaped = (name: string) => name.replace(/%22|%0[AD]/gi, decodeURIComponent);

async function* chunksOf(stream: Readable): AsyncIterable<Buffer> {
  try {
    // Keep the connection open for the response.
    yield* stream.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw formProblem(error);
  }
}

const formErrors: Record<string, string> = {
  FST_FILES_LIMIT: 'The form has more than one file. Send one file per request.',
  FST_FIELDS_LIMIT: `The form has more than ${maxFields} fields.`,
  FST_PARTS_LIMIT: 'The form has too many parts.',
};

/** Maps parser errors to 400. Storage errors stay 500. */
function formProblem(error: unknown): Problem {
  const { code = '' } = error as { code?: string };
  return new Problem('BAD_REQUEST', { message: formErrors[code] ?? 'The form is malformed or incomplete.' });
}

const notAFile = () => invalidField('file', 'type', 'file must be a file, not text. Send a form part with a filename.');

const tooLarge = (maxBytes: number) =>
  new Problem('BAD_REQUEST', {
    message:
      `The file is larger than ${Math.floor(maxBytes / 2 ** 20)} MiB, the upload limit. ` +
      'Reduce its size, or ask the operator to raise WAYPOST_UPLOAD_LIMIT.',
  });

const UploadForm = Type.Object(
  {
    file: Type.Unsafe<UploadedFile>({ format: 'binary', description: 'The file, with a filename' }),
    name: Type.Optional({ ...AssetName, description: 'Display name; defaults to the filename' }),
    ...detailFields,
  },
  {
    title: 'AssetUpload',
    description: 'Send as multipart/form-data. Lists are repeated fields or comma-separated values',
  },
);

export function assetUploadRoutes(server: FastifyInstance, { config, database, files }: Services): void {
  const inspector = new FileInspector();
  server.addHook('onClose', async () => inspector.close());
  server.register(async (scope) => {
    await acceptUploads(scope, incomingFolder(config.dataDir), config.uploadLimitMiB * 2 ** 20);
    route(scope, {
      method: 'POST',
      path: '/api/dam/assets',
      summary: 'Upload an image, a video or a document. The type is detected from the content',
      needs: 'ASSET_WRITE',
      body: UploadForm,
      response: AssetResponse,
      problems: ['NOT_FOUND', 'STORAGE_FULL'],
      handler: async (request) => {
        const {
          file: { declared, received },
          ...given
        } = request.body;
        const checked = await inspector.inspect(request.caller.partnerId, received, declared);
        const storage = [request.caller.partnerId, checked.sizeBytes, config.storageLimitMiB] as const;
        // Checked before the file is stored, and again under the lock.
        await requireStorage(database.pool, ...storage);
        const file = await storeAssetFile(database.pool, files, checked, received.sha256);
        let isStored = false;
        try {
          return await idempotentTransaction(request, async (transaction) => {
            await reserveStorage(transaction, ...storage);
            const details = { name: declared.title, ...given };
            const asset = await createAsset(transaction, request.caller, details, { type: checked.kind.type, file });
            isStored = true;
            return assetResponseOf(transaction, request, asset);
          });
        } catch (error) {
          isStored = false;
          throw error;
        } finally {
          // The request failed, or another request with the same Idempotency-Key was first.
          if (!isStored) await releaseUnconfirmedFiles(database.pool, namesOf(file));
        }
      },
    });
  });
}
