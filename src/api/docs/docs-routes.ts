import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { notFound } from '../../problems.ts';
import { openApiDocument } from '../openapi/openapi-document.ts';
import type { RouteRecord } from '../openapi/route-record.ts';
import { parseVersion } from '../versions/api-version.ts';
import { newestVersion } from '../versions/timeline.ts';
import { changeRecordPage } from './change-record-page.ts';
import { referencePage } from './reference-page.ts';

/** A page of the documentation runs nothing; its one style is in the page itself. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'public, max-age=300',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

/** The documentation, open to everybody and made of the routes themselves. */
export function docsRoutes(server: FastifyInstance, routes: readonly RouteRecord[]): void {
  const documents = new Map<string, ReturnType<typeof openApiDocument>>();
  const documentOf = (version: string) => {
    const known = documents.get(version) ?? openApiDocument(routes, version);
    documents.set(version, known);
    return known;
  };
  const config = { access: 'open' } as const;

  server.get('/docs', { config }, async (request, reply) => {
    const { v } = request.query as { v?: string };
    const version = v === undefined ? newestVersion : parseVersion(String(v), 'v');
    return reply.headers(pageHeaders).send(referencePage(documentOf(version)));
  });
  server.get('/docs/changes', { config }, async (_request, reply) =>
    reply.headers(pageHeaders).send(changeRecordPage()),
  );
  server.get(
    '/docs/openapi/:file',
    { config, schema: { params: Type.Object({ file: Type.String() }) } as object },
    async (request, reply) => {
      const { file } = request.params as { file: string };
      const version = /^_?(\d{8})\.json$/.exec(file)?.[1];
      if (!version) throw notFound(`document ${file}; ask for /docs/openapi/${newestVersion}.json`);
      return reply.type('application/json').send(JSON.stringify(documentOf(parseVersion(version, 'version'))));
    },
  );
}
