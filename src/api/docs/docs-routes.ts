import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { notFound } from '../../problems.ts';
import { openApiDocument } from '../openapi/openapi-document.ts';
import type { RouteRecord } from '../openapi/route-record.ts';
import { parseVersion } from '../versions/api-version.ts';
import { newestVersion } from '../versions/timeline.ts';
import { changeRecordPage } from './change-record-page.ts';
import { DocumentCache } from './document-cache.ts';
import { receivingPage } from './receiving-page.ts';
import { referencePage } from './reference-page.ts';

/** Documentation pages have no scripts and one inline style. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

/** The public documentation, generated from the routes. */
export function docsRoutes(server: FastifyInstance, routes: readonly RouteRecord[], serverUrl?: string): void {
  const cache = new DocumentCache();

  server.get('/docs', async (request, reply) => {
    const { v } = request.query as { v?: string };
    const version = v === undefined ? newestVersion : parseVersion(String(v), 'v');
    const render = () => referencePage(openApiDocument(routes, version, { serverUrl }));
    return cache.send(request, reply, { name: `reference ${version}`, headers: pageHeaders, render });
  });
  server.get('/docs/changes', async (request, reply) =>
    cache.send(request, reply, { name: 'changes', headers: pageHeaders, render: changeRecordPage }),
  );
  server.get('/docs/receiving', async (request, reply) =>
    cache.send(request, reply, { name: 'receiving', headers: pageHeaders, render: receivingPage }),
  );
  server.get(
    '/docs/openapi/:file',
    { schema: { params: Type.Object({ file: Type.String() }) } as object },
    async (request, reply) => {
      const { file } = request.params as { file: string };
      const version = versionOf(file);
      if (!version) throw notFound(`document ${file}; use /docs/openapi/latest.json`);
      const render = () => JSON.stringify(openApiDocument(routes, version, { serverUrl }));
      const headers = { 'content-type': 'application/json; charset=utf-8' };
      return cache.send(request, reply, { name: `openapi ${version}`, headers, render });
    },
  );
}

function versionOf(file: string): string | undefined {
  if (file === 'latest.json') return newestVersion;
  const date = /^_?(\d{8})\.json$/.exec(file)?.[1];
  return date && parseVersion(date, 'version');
}
