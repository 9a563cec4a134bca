import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseVersion } from './api-version.ts';
import { newestVersion, oldestVersion, timeline } from './timeline.ts';
import type { Grant, Shape } from './version-change.ts';
import { type OldUse, RouteWalk } from './walk.ts';

/** Told of every old field or parameter in use, so that an operator sees who still uses what. */
export type CountOldUse = (request: FastifyRequest, use: OldUse) => void;

/** Requests of older versions are upgraded before anything looks at them, and their answers downgraded at the end. */
export function versionedAnswers(server: FastifyInstance, count: CountOldUse): void {
  const walks: RouteWalk[] = [];
  server.decorateRequest('apiVersion', newestVersion);
  server.decorateRequest('shapesOf', newestVersion);
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
    const asked = askedVersion(request);
    if (asked) request.apiVersion = parseVersion(asked.text, asked.field);
    request.shapesOf = asked && isBeforeAll(asked.text) ? beforeAll : request.apiVersion;
  });
  server.addHook('preValidation', async (request) => {
    const { walk } = request.routeOptions.config;
    request.grants = walk?.grants(request.shapesOf) ?? new Set();
    if (!walk) return;
    const { query, body } = request as { query: Shape; body: unknown };
    const upgraded = walk.upgrade(request.shapesOf, { query, body }, (use) => {
      request.warnings.push(sentence(request.apiVersion, use));
      count(request, use);
    });
    request.query = upgraded.query;
    request.body = upgraded.body;
  });
  server.addHook('preSerialization', async (request, _reply, payload) => {
    const { walk } = request.routeOptions.config;
    const answer = payload as { status?: string; response?: unknown } | null;
    if (!walk || request.apiVersion === newestVersion || answer?.response === undefined) return payload;
    return { ...answer, response: walk.downgrade(request.shapesOf, answer.response, request.query as Shape) };
  });
  server.addHook('onSend', async (request, reply) => {
    reply.header('x-api-version', request.apiVersion);
  });
}

/** A date before the first entry is answered as the oldest version, without what its entry took away. */
const beforeAll = '00000000';
const isBeforeAll = (text: string) => text.replace('_', '') < oldestVersion;

const sentence = (asked: string, { name, now, version }: OldUse) =>
  asked < version
    ? `${name} is deprecated since _${version}: it is now ${now}.`
    : `${name} is of a version before _${version} and was ignored: it is now ${now}.`;

/** Their routes come with the dashboard; whoever adds those takes the name off this list. */
const comesWithTheDashboard: ReadonlySet<string> = new Set(['ListingHealth']);

/** A change that no route has anything to do with is a mistake in one of the two. */
function refuseIdleChanges(walks: readonly RouteWalk[]): void {
  const touched = new Set(walks.flatMap((walk) => [...walk.touched]));
  for (const { version, shapes = [], calls = [] } of timeline) {
    for (const change of [...shapes, ...calls]) {
      if (touched.has(change) || ('resource' in change && comesWithTheDashboard.has(change.resource))) continue;
      throw new Error(
        `The version ${version} changes ${'call' in change ? change.call : change.resource}, which no route has.`,
      );
    }
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
    /** The same, or a date before all entries. */
    shapesOf: string;
    /** What clients of this version may have that today's may not. */
    grants: ReadonlySet<Grant>;
  }
  interface FastifyContextConfig {
    walk?: RouteWalk;
  }
}
