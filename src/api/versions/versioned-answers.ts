import type { FastifyInstance, FastifyRequest } from 'fastify';
import { newestVersion, parseVersion } from './api-version.ts';

/**
 * The place where requests of older versions will be upgraded and answers downgraded. Every entry so far has the same
 * shapes here, so there is nothing to change yet: each request gets its version and each answer echoes it.
 */
export function versionedAnswers(server: FastifyInstance): void {
  server.decorateRequest('apiVersion', newestVersion);
  server.addHook('onRequest', async (request) => {
    request.apiVersion = request.caller?.apiVersion ?? newestVersion;
    const asked = askedVersion(request);
    if (asked) request.apiVersion = parseVersion(asked.text, asked.field);
  });
  server.addHook('onSend', async (request, reply) => {
    reply.header('x-api-version', request.apiVersion);
  });
}

function askedVersion(request: FastifyRequest): { text: string; field: string } | undefined {
  const { v } = request.query as { v?: string | string[] };
  if (v !== undefined) return { text: String(v), field: 'v' };
  const header = request.headers['x-api-version'];
  return header === undefined ? undefined : { text: String(header), field: 'X-Api-Version' };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Eight digits, such as 20260713. */
    apiVersion: string;
  }
}
