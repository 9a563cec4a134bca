import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesEtag } from '../../http/entity-tags.ts';

const unzip = promisify(gunzip);

interface CachedDocument {
  etag: string;
  /** Compressed: all documents of all versions take a few megabytes. */
  gzip: Buffer;
}

/** Renders each document once per process. */
export class DocumentCache {
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
    if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(headers['accept-encoding'] ?? '')) {
      return reply.send(await unzip(gzip));
    }
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
