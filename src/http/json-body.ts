import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../problems.ts';

// Recursive functions process the body: deeper nesting could overflow the stack.
const maxDepth = 64;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Accepts only JSON in UTF-8; an empty body counts as none. */
export function acceptJsonOnly(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    if (bytes.length === 0) return done(null, undefined);
    try {
      void parse(request, decode(request, bytes), (error, body) => {
        done(error ?? (isDeeperThan(maxDepth, body) ? tooDeep() : null), body);
      });
    } catch (error) {
      done(error as Error);
    }
  });
}

const tooDeep = () => new Problem('BAD_REQUEST', { message: `The body is nested deeper than ${maxDepth} levels.` });

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

function decode(request: FastifyRequest, bytes: Buffer): string {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    throw new Problem('BAD_REQUEST', {
      message: `content-encoding ${encoding} is not supported. Send the body uncompressed.`,
    });
  }
  const charset = /charset="?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new Problem('BAD_REQUEST', { message: `The charset ${charset} is not supported. Send JSON in UTF-8.` });
  }
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Problem('BAD_REQUEST', { message: 'The body is not valid UTF-8.' });
  }
}
