import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { releaseFiles } from '../../../storage/pending-files.ts';
import { incomingFolder } from '../../../storage/received-file.ts';
import { AssetName, AssetResponse, detailFields } from './asset.ts';
import { assetResponseOf } from './asset-routes.ts';
import { createAsset } from './change-asset.ts';
import { FileInspector } from './file-inspector.ts';
import { namesOf, requireStorage, reserveStorage, storeAssetFile } from './store-file.ts';
import { acceptUploads, type UploadedFile } from './upload-form.ts';

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
    await acceptUploads(scope, {
      folder: incomingFolder(config.dataDir),
      maxBytes: config.uploadLimitMiB * 2 ** 20,
      fields: UploadForm,
    });
    route(scope, {
      method: 'POST',
      path: '/api/dam/assets',
      summary: 'Upload an image, a video or a document. The type is detected from the content',
      needs: 'ASSET_WRITE',
      body: UploadForm,
      response: AssetResponse,
      problems: ['NOT_FOUND', 'STORAGE_FULL'],
      handler: async (request) => {
        const { file: uploaded, ...given } = request.body;
        const checked = await inspector.inspect(request.caller.partnerId, uploaded.received, {
          title: uploaded.title,
          mimeType: uploaded.mimeType,
        });
        const storage = [request.caller.partnerId, checked.sizeBytes, config.storageLimitMiB] as const;
        // Checked before the file is stored, and again under the lock.
        await requireStorage(database.pool, ...storage);
        const file = await storeAssetFile(database.pool, files, checked, uploaded.received.sha256);
        let isStored = false;
        try {
          return await idempotentTransaction(request, async (transaction) => {
            await reserveStorage(transaction, ...storage);
            const details = { name: uploaded.title, ...given };
            const asset = await createAsset(transaction, request.caller, details, { type: checked.kind.type, file });
            isStored = true;
            return assetResponseOf(transaction, request, asset);
          });
        } catch (error) {
          isStored = false;
          throw error;
        } finally {
          // The request failed, or another request with the same Idempotency-Key was first.
          if (!isStored) await releaseFiles(database.pool, namesOf(file));
        }
      },
    });
  });
}
