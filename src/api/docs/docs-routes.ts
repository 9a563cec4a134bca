import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Config } from '../../config.ts';
import { acceptsEncoding, matchesEtag } from '../../http/public-responses.ts';
import { route } from '../../http/route.ts';
import { notFound } from '../../problems.ts';
import { openApiDocument } from '../openapi/openapi-document.ts';
import type { RouteRecord } from '../openapi/route-record.ts';
import { newestVersion, parseVersion, replacementsOf, timeline } from '../versions/timeline.ts';
import type { VersionChange } from '../versions/version-change.ts';
import { asyncApiDocument } from './asyncapi-document.ts';
import { page, text } from './page.ts';
import { receivingPage } from './receiving-page.ts';
import { referencePage } from './reference-page.ts';

/** Documentation pages have no scripts and one inline style. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' };

/** The public documentation, generated from the routes. */
export function docsRoutes(server: FastifyInstance, routes: readonly RouteRecord[], config: Config): void {
  const { publicUrl: serverUrl } = config;
  const cache = new DocumentCache();

  server.get('/docs', async (request, reply) => {
    const { v } = request.query as { v?: string };
    const version = v === undefined ? newestVersion : parseVersion(String(v), 'v');
    const render = () => referencePage(openApiDocument(routes, version, { serverUrl }));
    return cache.send(request, reply, { name: `reference ${version}`, headers: pageHeaders, render });
  });
  server.get('/docs/changes', async (request, reply) =>
    cache.send(request, reply, { name: 'changes', headers: pageHeaders, render: changelogPage }),
  );
  server.get('/docs/receiving', async (request, reply) =>
    cache.send(request, reply, { name: 'receiving', headers: pageHeaders, render: () => receivingPage(config) }),
  );
  server.get(
    '/docs/openapi/:file',
    { schema: { params: Type.Object({ file: Type.String() }) } as object },
    async (request, reply) => {
      const { file } = request.params as { file: string };
      const version = versionOf(file);
      if (!version) throw notFound(`document ${file}; use /docs/openapi/latest.json`);
      const render = () => JSON.stringify(openApiDocument(routes, version, { serverUrl }));
      return cache.send(request, reply, { name: `openapi ${version}`, headers: jsonHeaders, render });
    },
  );
  server.get('/docs/asyncapi.json', async (request, reply) => {
    const render = () => JSON.stringify(asyncApiDocument());
    return cache.send(request, reply, { name: 'asyncapi', headers: jsonHeaders, render });
  });
}

function versionOf(file: string): string | undefined {
  if (file === 'latest.json') return newestVersion;
  const date = /^_?(\d{8})\.json$/.exec(file)?.[1];
  return date && parseVersion(date, 'version');
}

function changelogPage(): string {
  const newestFirst = timeline.toReversed();
  const contents = newestFirst.map(
    ({ version, kind }) =>
      `<li><a href="#_${version}">_${version}</a>${kind === 'BREAKING' ? ' <span class="kind">breaking</span>' : ''}</li>`,
  );
  return page(
    'Waypost changelog',
    `<div class="columns"><nav aria-label="Versions"><ul>${contents.join('')}</ul></nav><main><h1>Changelog</h1>
<p>Additive changes are available in every version. Breaking changes apply from their version on: clients of older versions
send and receive the old format. <code>waypost versions diff _20210729 _20230115</code> prints the changes between versions.</p>
${newestFirst.map(entrySection).join('')}</main></div>`,
  );
}

function entrySection(entry: VersionChange): string {
  const { version, kind, description, touches } = entry;
  const replaced = replacementsOf(entry).map(
    ({ where, before, now }) =>
      `<tr><td data-label="In">${text(where)}</td><td data-label="Before">${text(before)}</td><td data-label="Now">${text(now)}</td></tr>`,
  );
  return `<section id="_${version}"><h2>_${version} <span class="kind">${kind.toLowerCase()}</span></h2>
<p>${text(description)}</p>
${touches.length > 0 ? `<ul>${touches.map((touched) => `<li>${text(touched)}</li>`).join('')}</ul>` : ''}
${replaced.length > 0 ? `<table><thead><tr><th>In</th><th>Before</th><th>Now</th></tr></thead><tbody>${replaced.join('')}</tbody></table>` : ''}
<p><a href="/docs?v=${version}">The API as of this version</a></p></section>`;
}

const unzip = promisify(gunzip);

interface CachedDocument {
  etag: string;
  /** Compressed: all documents of all versions take a few megabytes. */
  gzip: Buffer;
}

/** Renders each document once per process. */
class DocumentCache {
  readonly #documents = new Map<string, CachedDocument>();

  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    document: { name: string; headers: Record<string, string>; render: () => string },
  ): Promise<FastifyReply> {
    const { etag, gzip } = this.#document(document.name, document.render);
    const { headers } = request;
    reply.headers({ ...document.headers, etag, 'cache-control': 'public, max-age=300', vary: 'accept-encoding' });
    if (matchesEtag(headers['if-none-match'], etag)) return reply.code(304).send();
    if (!acceptsEncoding(headers['accept-encoding'], 'gzip')) return reply.send(await unzip(gzip));
    return reply.header('content-encoding', 'gzip').send(gzip);
  }

  #document(name: string, render: () => string): CachedDocument {
    const known = this.#documents.get(name);
    if (known) return known;
    const text = render();
    // One ETag for both encodings.
    const created = { etag: `"${hash('sha256', text, 'base64url')}"`, gzip: gzipSync(text) };
    this.#documents.set(name, created);
    return created;
  }
}

const VersionResponse = Type.Object(
  {
    version: Type.String({ description: 'Eight digits: year, month, day' }),
    date: Type.String(),
    kind: Type.Enum(['BREAKING', 'ADDITIVE', 'INTERNAL']),
    description: Type.String(),
    touches: Type.Array(Type.String()),
    replaced: Type.Array(
      Type.Object({
        where: Type.String({ description: 'A resource or an endpoint', examples: ['Location'] }),
        before: Type.String({ examples: ['futureOpeningDate'] }),
        now: Type.String({ examples: ['openingDate'] }),
      }),
      { description: 'Fields and parameters with their replacements' },
    ),
  },
  { title: 'Version' },
);

export function versionRoutes(server: FastifyInstance): void {
  route(server, {
    method: 'GET',
    path: '/api/versions',
    summary: 'List the changelog, newest entry first',
    response: Type.Object({ versions: Type.Array(VersionResponse) }),
    handler: async () => ({
      versions: timeline.toReversed().map((entry) => ({
        version: entry.version,
        date: entry.version.replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3'),
        kind: entry.kind,
        description: entry.description,
        touches: [...entry.touches],
        replaced: replacementsOf(entry),
      })),
    }),
  });
}
