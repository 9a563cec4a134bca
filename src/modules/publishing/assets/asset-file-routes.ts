import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { rangeOf } from '../../../http/byte-ranges.ts';
import { matchesEtag } from '../../../http/entity-tags.ts';
import { FileResponse, fileRoute } from '../../../http/file-route.ts';
import type { Services } from '../../../http/services.ts';
import { notFound } from '../../../problems.ts';
import type { Asset } from './asset.ts';
import { findAssetByToken } from './asset-store.ts';
import { fileKinds, kindByMimeType } from './file-kind.ts';
import { extensionOf } from './file-title.ts';

const tokenParams = Type.Object({
  token: Type.String({ maxLength: 60, description: 'As url and thumbnailUrl of an asset have it' }),
});

/**
 * Pages of any origin may show these files, and nothing in them runs, loads anything or reaches the pages of this
 * origin. An asset's file never changes; how long copies stay after a deletion is what the time is about.
 */
const openToAll = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy':
    "default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'; sandbox",
  'cache-control': 'public, max-age=3600',
};

/** The bytes of assets, for whoever has the address: directories and browsers have no key. */
export function assetFileRoutes(server: FastifyInstance, { database, files }: Services): void {
  const found = async (token: string) => {
    const asset = await findAssetByToken(database.pool, token.split('.', 1)[0] ?? '');
    if (!asset) throw gone();
    return asset;
  };

  fileRoute(server, {
    path: '/api/dam/files/:token',
    summary: 'The file of an asset, or a range of it; whoever has its address may read it',
    access: 'anybody',
    params: tokenParams,
    query: Type.Object({
      download: Type.Boolean({ default: false, description: 'Whether a browser saves it in place of showing it' }),
    }),
    produces: fileKinds.map(({ mimeType }) => mimeType),
    problems: ['NOT_FOUND'],
    handler: async (request) => {
      const asset = await found(request.params.token);
      const { mimeType, sizeBytes, fileName } = asset;
      if (mimeType === null || sizeBytes === null || fileName === null) throw gone();
      const isShown = asset.type !== 'DOCUMENT' && !request.query.download;
      const file = {
        contentType: mimeType === 'text/plain' ? 'text/plain; charset=utf-8' : mimeType,
        name: downloadName(asset),
        disposition: isShown ? ('inline' as const) : ('attachment' as const),
        headers: { ...openToAll, etag: etagOf(asset.sha256), 'accept-ranges': 'bytes' },
      };
      if (hasAlready(request, asset.sha256)) return new FileResponse({ ...file, code: 304, content: '' });
      const range = wantedRange(request, asset.sha256, sizeBytes);
      if (range === 'unsatisfiable') {
        const headers = { ...file.headers, 'content-range': `bytes */${sizeBytes}` };
        return new FileResponse({ ...file, headers, code: 416, content: '' });
      }
      const open = await files.read(fileName, range);
      if (!open) throw gone();
      if (!range) return new FileResponse({ ...file, sizeBytes, content: open.stream });
      const headers = { ...file.headers, 'content-range': `bytes ${range.from}-${range.to}/${sizeBytes}` };
      const length = range.to - range.from + 1;
      return new FileResponse({ ...file, headers, code: 206, sizeBytes: length, content: open.stream });
    },
  });

  fileRoute(server, {
    path: '/api/dam/thumbnails/:token',
    summary: 'A small picture of an image; whoever has its address may read it',
    access: 'anybody',
    params: tokenParams,
    produces: ['image/webp'],
    problems: ['NOT_FOUND'],
    handler: async (request) => {
      const { sha256, thumbnailName } = await found(request.params.token);
      if (thumbnailName === null) throw gone();
      const headers = { ...openToAll, etag: etagOf(sha256) };
      const file = { contentType: 'image/webp', disposition: 'inline' as const, headers };
      if (hasAlready(request, sha256)) return new FileResponse({ ...file, code: 304, content: '' });
      const open = await files.read(thumbnailName);
      if (!open) throw gone();
      return new FileResponse({ ...file, sizeBytes: open.sizeBytes, content: open.stream });
    },
  });
}

const etagOf = (sha256: string) => `"${sha256.slice(0, 32)}"`;

const hasAlready = ({ headers }: FastifyRequest, sha256: string) =>
  matchesEtag(headers['if-none-match'], etagOf(sha256));

/** A range of another state of the file is of no use to whoever goes on with a download. */
function wantedRange({ headers }: FastifyRequest, sha256: string, sizeBytes: number) {
  const condition = headers['if-range'];
  if (condition !== undefined && condition !== etagOf(sha256)) return undefined;
  return rangeOf(headers.range, sizeBytes);
}

/** The asset's name with the extension that its bytes ask for. */
function downloadName({ name, mimeType }: Asset): string {
  const kind = kindByMimeType(mimeType ?? '');
  const extension = extensionOf(name) ?? '';
  return !kind || kind.extensions.includes(extension) ? name : `${name}.${kind.extensions[0]}`;
}

const gone = () => notFound('file at this address (any more)');
