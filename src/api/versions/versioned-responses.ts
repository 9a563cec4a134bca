import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { FieldError } from '../../problems.ts';
import { parseVersion } from './api-version.ts';
import type { Shape } from './shape.ts';
import { newestVersion, oldestVersion, timeline } from './timeline.ts';
import type { Client, Grant } from './version-change.ts';
import { RouteWalk, type VersionNotice } from './walk.ts';

/** Told of every old field, form or parameter in use, so that an operator sees who still uses what. */
export type CountDeprecatedUse = (request: FastifyRequest, name: string, replacedBy: string) => void;

/** Requests of older versions are upgraded before anything looks at them, and their answers downgraded at the end. */
export function versionedResponses(server: FastifyInstance, count: CountDeprecatedUse): void {
  const walks: RouteWalk[] = [];
  server.decorateRequest('apiVersion', newestVersion);
  server.decorateRequest('client');
  server.decorateRequest('grants');

  server.addHook('onRoute', (route) => {
    const { body, response } = (route.schema ?? {}) as { body?: unknown; response?: Record<string, unknown> };
    const [method] = [route.method].flat();
    if (!method || method === 'HEAD') return;
    const answer = (response?.[200] as { properties?: { response?: unknown } } | undefined)?.properties?.response;
    const walk = new RouteWalk(timeline, { method, path: route.path, body, response: answer });
    walks.push(walk);
    route.config = { ...route.config, walk };
  });
  server.addHook('onReady', async () => refuseIdleChanges(walks));

  server.addHook('onRequest', async (request) => {
    request.apiVersion = request.caller?.apiVersion ?? newestVersion;
    request.client = { version: request.apiVersion, planFeatures: request.caller?.planFeatures ?? [] };
    const asked = askedVersion(request);
    if (!asked) return;
    request.apiVersion = parseVersion(asked.text, asked.field);
    const version = isBeforeAll(asked.text) ? beforeAll : request.apiVersion;
    request.client = { ...request.client, version };
  });
  server.addHook('preValidation', async (request) => {
    const { walk } = request.routeOptions.config;
    request.grants = walk?.grants(request.client) ?? new Set();
    if (!walk) return;
    const { query, body } = request as { query: Shape; body: unknown };
    const told = new Set<string>();
    const upgraded = walk.upgrade(request.client, { query, body }, (use) => {
      const text = sentence(use);
      if (told.has(text)) return;
      told.add(text);
      request.warnings.push(text);
      if (use.kind !== 'NOT_YET' && use.kind !== 'LOST') count(request, use.name, use.version);
    });
    request.query = upgraded.query;
    request.body = upgraded.body;
  });
  server.addHook('preSerialization', async (request, _reply, payload) => {
    const { walk } = request.routeOptions.config;
    const answer = payload as { response?: unknown; message?: string; errors?: readonly FieldError[] } | null;
    if (!walk || !answer) return payload;
    const { response, errors, message } = answer;
    if (response !== undefined) return { ...answer, response: walk.downgrade(request.client, response) };
    if (!errors) return payload;
    const told = walk.downgradeErrors(request.client, errors);
    return { ...answer, errors: told, message: message === wordsOf(errors) ? wordsOf(told) : message };
  });
  server.addHook('onSend', async (request, reply) => {
    reply.header('x-api-version', request.client ? request.apiVersion : versionOfStranger(request));
  });
}

/** Who is not let in is told of the version that was asked for, too. */
function versionOfStranger(request: FastifyRequest): string {
  const asked = askedVersion(request);
  try {
    return asked ? parseVersion(asked.text, asked.field) : newestVersion;
  } catch {
    return newestVersion;
  }
}

const wordsOf = (errors: readonly FieldError[]) => errors.map(({ message }) => message).join(' ');

/** A date before the first entry is answered as the oldest version, without what its entry took away. */
const beforeAll = '00000000';
const isBeforeAll = (text: string) => text.replace('_', '') < oldestVersion;

function sentence({ kind, name, now, version }: VersionNotice): string {
  switch (kind) {
    case 'OLD':
      return `${name} is deprecated since _${version}: it is now ${now}.`;
    case 'OLD_FORM':
      return `Giving ${name} is deprecated since _${version}: use ${now}.`;
    case 'IGNORED':
      return `${name} is of a version before _${version} and was ignored: it is now ${now}.`;
    case 'NOT_YET':
      return `${name} was ignored: it needs _${version} and ${now}.`;
    case 'LOST':
      return name;
  }
}

/** A change that no route has anything to do with is a mistake in one of the two. */
function refuseIdleChanges(walks: readonly RouteWalk[]): void {
  const touched = new Set(walks.flatMap((walk) => [...walk.touched]));
  for (const { version, shapes = [], calls = [] } of timeline) {
    const idle = [...shapes, ...calls].find((change) => !touched.has(change));
    if (!idle) continue;
    const name = 'call' in idle ? idle.call : idle.resource;
    throw new Error(`The version ${version} changes ${name}, which no route has.`);
  }
}

function askedVersion(request: FastifyRequest): { text: string; field: string } | undefined {
  const { v } = request.query as { v?: string | string[] };
  if (v !== undefined) return { text: String(v), field: 'v' };
  const header = request.headers['x-api-version'];
  return header === undefined ? undefined : { text: String(header), field: 'X-Api-Version' };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** An entry of the change record: eight digits, such as 20260713. */
    apiVersion: string;
    /** Whose version may also lie before all entries. */
    client: Client;
    /** What holds for clients of this version and not for today's. */
    grants: ReadonlySet<Grant>;
  }
  interface FastifyContextConfig {
    walk?: RouteWalk;
  }
}
