import type { FastifyInstance, FastifyRequest } from 'fastify';
import { propertiesOf, type Schema } from '../../json-schema.ts';
import type { FieldError } from '../../problems.ts';
import { newestVersion, oldestVersion, parseVersion, timeline } from './timeline.ts';
import type { Client, Grant, Shape } from './version-change.ts';
import { RouteWalk, type VersionNotice } from './walk.ts';

/** Called for every deprecated field, format or parameter in a request. */
export type CountDeprecatedUse = (request: FastifyRequest, name: string, replacedBy: string) => void;

/** Upgrades requests of older versions before validation, and downgrades their responses. */
export function versionedResponses(server: FastifyInstance, count: CountDeprecatedUse): void {
  server.decorateRequest('apiVersion', newestVersion);
  server.decorateRequest('client');
  server.decorateRequest('grants');

  server.addHook('onRoute', (route) => {
    const { body, response } = (route.schema ?? {}) as { body?: Schema; response?: Record<string, Schema> };
    const [method] = [route.method].flat();
    if (!method || method === 'HEAD') return;
    const walk = new RouteWalk(timeline, {
      method,
      path: route.path,
      body,
      response: propertiesOf(response?.[200]).response,
    });
    route.config = { ...route.config, walk };
  });

  server.decorateRequest('chooseVersion', function (this: FastifyRequest, caller) {
    chooseVersion(this, caller);
  });
  server.addHook('onRequest', (request, _reply, done) => {
    request.chooseVersion(request.caller);
    done();
  });
  server.addHook('preValidation', (request, _reply, done) => {
    const { walk } = request.routeOptions.config;
    request.grants = walk?.grants(request.client) ?? new Set();
    if (!walk) return done();
    const { query, body } = request as { query: Shape; body: unknown };
    const reported = new Set<string>();
    const upgraded = walk.upgrade(request.client, { query, body }, (use) => {
      const text = warningOf(use);
      if (reported.has(text)) return;
      reported.add(text);
      request.warnings.push(text);
      if (use.kind !== 'NOT_YET' && use.kind !== 'LOST') count(request, use.name, use.version);
    });
    request.query = upgraded.query;
    request.body = upgraded.body;
    done();
  });
  server.addHook('preSerialization', (request, _reply, payload, done) => {
    const { walk } = request.routeOptions.config;
    // Without a client, the request was rejected before its version was read.
    if (!walk || !payload || !request.client) return done();
    const envelope = renameErrors(walk, request.client, payload as Envelope);
    const { response } = envelope;
    if (response === undefined) return done(null, envelope);
    done(
      null,
      renameFailures(walk, request.client, { ...envelope, response: walk.downgrade(request.client, response) }),
    );
  });
  server.addHook('onSend', (request, reply, _payload, done) => {
    reply.header('x-api-version', request.client ? request.apiVersion : requestedVersion(request));
    done();
  });
}

type VersionedCaller = Pick<FastifyRequest, 'apiVersion'> & Pick<Client, 'planFeatures'>;

function chooseVersion(request: FastifyRequest, caller: VersionedCaller | null | undefined): void {
  request.apiVersion = caller?.apiVersion ?? newestVersion;
  request.client = { version: request.apiVersion, planFeatures: caller?.planFeatures ?? [] };
  const asked = askedVersion(request);
  if (!asked) return;
  request.apiVersion = parseVersion(asked.text, asked.field);
  request.client = { ...request.client, version: isBeforeAll(asked.text) ? beforeAll : request.apiVersion };
}

interface Envelope extends Failure {
  response?: unknown;
}

interface Failure {
  message?: string | undefined;
  errors?: readonly FieldError[];
}

/** Errors and their joined message with the field names of the client's version. */
function renameErrors<T extends Failure>(walk: RouteWalk, client: Client, failure: T): T {
  const { message, errors } = failure;
  if (!errors) return failure;
  const renamed = walk.downgradeErrors(client, errors);
  const isJoined = message === joinMessages(errors);
  return { ...failure, errors: renamed, message: isJoined ? joinMessages(renamed) : message };
}

/** The same for the failures of a bulk operation. If all records failed, the first message is that of the response. */
function renameFailures(walk: RouteWalk, client: Client, envelope: Envelope): Envelope {
  const { failed } = (envelope.response ?? {}) as { failed?: unknown };
  if (!Array.isArray(failed)) return envelope;
  const renamed: Failure[] = failed.map((failure: Failure) => renameErrors(walk, client, failure));
  return {
    ...envelope,
    ...(envelope.message !== undefined && envelope.message === failed[0]?.message && { message: renamed[0]?.message }),
    response: { ...(envelope.response as object), failed: renamed },
  };
}

/** The version header of responses to unauthenticated requests. */
function requestedVersion(request: FastifyRequest): string {
  const asked = askedVersion(request);
  try {
    return asked ? parseVersion(asked.text, asked.field) : newestVersion;
  } catch {
    return newestVersion;
  }
}

const joinMessages = (errors: readonly FieldError[]) => errors.map(({ message }) => message).join(' ');

/** Dates before the first entry get the behaviour before that entry. */
const beforeAll = '00000000';
const isBeforeAll = (text: string) => text.replace('_', '') < oldestVersion;

function warningOf({ kind, name, now, version }: VersionNotice): string {
  switch (kind) {
    case 'OLD':
      return `${name} is deprecated since _${version}: it is now ${now}.`;
    case 'OLD_FORM':
      return `Sending ${name} is deprecated since _${version}: use ${now}.`;
    case 'IGNORED':
      return `${name} was replaced in _${version} and was ignored: it is now ${now}.`;
    case 'NOT_YET':
      return `${name} was ignored: it needs _${version} and ${now}.`;
    case 'LOST':
      return name;
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
    /** Eight digits, such as 20260713. */
    apiVersion: string;
    /** Its version can be before the first entry. */
    client: Client;
    /** The version that the request names, else that of the caller. Called again after a sign-in. */
    chooseVersion(caller: VersionedCaller | null | undefined): void;
    /** Behaviour for clients of this version only. */
    grants: ReadonlySet<Grant>;
  }
  interface FastifyContextConfig {
    walk?: RouteWalk;
  }
}
