import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { releaseFiles } from '../../../storage/pending-files.ts';
import { incomingFolder } from '../../../storage/received-file.ts';
import { AssetAnswer, AssetName, detailFields } from './asset.ts';
import { answerOfAsset } from './asset-answers.ts';
import { demandStorage, reserveStorage } from './asset-storage.ts';
import { createAsset } from './change-asset.ts';
import { FileInspector } from './file-inspector.ts';
import { keepFile, namesOf } from './keep-file.ts';
import { acceptForms, type SentFile } from './upload-form.ts';

const UploadForm = Type.Object(
  {
    file: Type.Unsafe<SentFile>({ format: 'binary', description: 'The file, with its name' }),
    name: Type.Optional({ ...AssetName, description: 'What people call it; the name of the file if absent' }),
    ...detailFields,
  },
  { title: 'AssetUpload', description: 'Sent as multipart/form-data; lists are repeated fields or comma-separated' },
);

export function assetUploadRoutes(server: FastifyInstance, { config, database, files }: Services): void {
  const inspector = new FileInspector();
  server.addHook('onClose', async () => inspector.close());
  server.register(async (scope) => {
    await acceptForms(scope, {
      folder: incomingFolder(config.dataDir),
      mostBytes: config.uploadLimitMiB * 2 ** 20,
      fields: UploadForm,
    });
    route(scope, {
      method: 'POST',
      path: '/api/dam/assets',
      summary: 'Upload an image, a video or a document as a form; it is judged by its bytes, not by its name',
      needs: 'ASSET_WRITE',
      body: UploadForm,
      response: AssetAnswer,
      problems: ['NOT_FOUND', 'STORAGE_FULL'],
      handler: async (request) => {
        const { file: sent, ...given } = request.body;
        const checked = await inspector.inspect(request.caller.partnerId, sent.received, {
          title: sent.title,
          mimeType: sent.mimeType,
        });
        const demand = [request.caller.partnerId, checked.sizeBytes, config.storageLimitMiB] as const;
        // Before the file is written, and again when it counts.
        await demandStorage(database.pool, ...demand);
        const file = await keepFile(database.pool, files, checked, sent.received.sha256);
        let isKept = false;
        try {
          return await idempotentTransaction(request, async (transaction) => {
            await reserveStorage(transaction, ...demand);
            const details = { name: sent.title, ...given };
            const asset = await createAsset(transaction, request.caller, details, { type: checked.kind.type, file });
            isKept = true;
            return answerOfAsset(transaction, request, asset);
          });
        } catch (error) {
          isKept = false;
          throw error;
        } finally {
          // Refused, or another request with the same Idempotency-Key was first.
          if (!isKept) await releaseFiles(database.pool, namesOf(file));
        }
      },
    });
  });
}
