import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { FileResponse, fileRoute, rangeOf } from '../../../http/file-route.ts';
import { matchesEtag } from '../../../http/public-responses.ts';
import type { Services } from '../../../http/services.ts';
import { notFound } from '../../../problems.ts';
import { findAssetByToken, type StoredFile } from './asset-store.ts';
import { extensionOf, fileKinds, kindByMimeType } from './file-kind.ts';

const tokenParams = Type.Object({
  token: Type.String({ maxLength: 60, description: 'Token from url or thumbnailUrl of an asset' }),
});

/**
 * Any origin may embed the files; scripts and requests from within them are blocked. The cache time limits how long
 * copies outlive a deleted asset.
 */
const publicHeaders = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy':
    "default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'; sandbox",
  'cache-control': 'public, max-age=3600',
};

/** No authentication: directories and browsers have no key. The token in the URL is the secret. */
export function assetFileRoutes(server: FastifyInstance, { database, files }: Services): void {
  const requireAsset = async (token: string) => {
    const asset = await findAssetByToken(database.pool, token.split('.', 1)[0] ?? '');
    if (!asset) throw fileNotFound();
    return asset;
  };

  fileRoute(server, {
    path: '/api/dam/files/:token',
    summary: 'Download the file of an asset, or a range of it. No key is required',
    access: 'anonymous',
    params: tokenParams,
    query: Type.Object({
      download: Type.Boolean({
        default: false,
        description: 'Whether browsers save the file instead of displaying it',
      }),
    }),
    produces: fileKinds.map(({ mimeType }) => mimeType),
    problems: ['NOT_FOUND'],
    handler: async (request) => {
      const asset = await requireAsset(request.params.token);
      const { mimeType, sizeBytes, fileName } = asset;
      if (mimeType === null || sizeBytes === null || fileName === null) throw fileNotFound();
      const isInline = asset.type !== 'DOCUMENT' && !request.query.download;
      const file = {
        contentType: mimeType === 'text/plain' ? 'text/plain; charset=utf-8' : mimeType,
        name: downloadName(asset),
        disposition: isInline ? ('inline' as const) : ('attachment' as const),
        headers: { ...publicHeaders, etag: etagOf(asset.sha256), 'accept-ranges': 'bytes' },
      };
      if (isNotModified(request, asset.sha256)) return new FileResponse({ ...file, code: 304, content: '' });
      const range = requestedRange(request, asset.sha256, sizeBytes);
      if (range === 'unsatisfiable') {
        const headers = { ...file.headers, 'content-range': `bytes */${sizeBytes}` };
        return new FileResponse({ ...file, headers, code: 416, content: '' });
      }
      const open = await files.read(fileName, range);
      if (!open) throw fileNotFound();
      if (!range) return new FileResponse({ ...file, sizeBytes, content: open.stream });
      const headers = { ...file.headers, 'content-range': `bytes ${range.from}-${range.to}/${sizeBytes}` };
      const length = range.to - range.from + 1;
      return new FileResponse({ ...file, headers, code: 206, sizeBytes: length, content: open.stream });
    },
  });

  fileRoute(server, {
    path: '/api/dam/thumbnails/:token',
    summary: 'Download the thumbnail of an image. No key is required',
    access: 'anonymous',
    params: tokenParams,
    produces: ['image/webp'],
    problems: ['NOT_FOUND'],
    handler: async (request) => {
      const { sha256, thumbnailName } = await requireAsset(request.params.token);
      if (thumbnailName === null) throw fileNotFound();
      const headers = { ...publicHeaders, etag: etagOf(sha256) };
      const file = { contentType: 'image/webp', disposition: 'inline' as const, headers };
      if (isNotModified(request, sha256)) return new FileResponse({ ...file, code: 304, content: '' });
      const open = await files.read(thumbnailName);
      if (!open) throw fileNotFound();
      return new FileResponse({ ...file, sizeBytes: open.sizeBytes, content: open.stream });
    },
  });
}

const etagOf = (sha256: string) => `"${sha256.slice(0, 32)}"`;

const isNotModified = ({ headers }: FastifyRequest, sha256: string) =>
  matchesEtag(headers['if-none-match'], etagOf(sha256));

/** If-Range: a client that resumes a download of other content gets the whole file. */
function requestedRange({ headers }: FastifyRequest, sha256: string, sizeBytes: number) {
  const condition = headers['if-range'];
  if (condition !== undefined && condition !== etagOf(sha256)) return undefined;
  return rangeOf(headers.range, sizeBytes);
}

/** The asset's name with the extension of its content type. */
function downloadName({ name, mimeType }: StoredFile): string {
  const kind = kindByMimeType(mimeType ?? '');
  const extension = extensionOf(name) ?? '';
  return !kind || kind.extensions.includes(extension) ? name : `${name}.${kind.extensions[0]}`;
}

const fileNotFound = () => notFound('file at this URL');
