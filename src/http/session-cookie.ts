import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../problems.ts';

/**
 * The session of a browser. Scripts cannot read it, other sites cannot send it, and what it is used for beyond
 * reading must carry a header that only pages of our own origin can set.
 */
const secureName = '__Host-waypost-session';
/** Without HTTPS, as on loopback, browsers keep no cookie under the name above. */
export const plainName = 'waypost-session';

/** Not one that a page of another origin can send without asking first, and nobody there is told yes. */
const consoleHeader = 'x-waypost-console';

const nameFor = ({ protocol }: FastifyRequest) => (protocol === 'https' ? secureName : plainName);

const readingMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The access token that a browser sends along; undefined as well where another site may have made it send it. */
export function cookieTokenOf(request: FastifyRequest): string | undefined {
  const token = cookieOf(request);
  if (token === undefined || !isFromOurPages(request)) return undefined;
  if (!readingMethods.has(request.method) && request.headers[consoleHeader] === undefined) return undefined;
  return token;
}

/** Browsers say where a request comes from; "none" is somebody who typed the address or opened a bookmark. */
function isFromOurPages({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

function cookieOf(request: FastifyRequest): string | undefined {
  const name = nameFor(request);
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [key, value] = pair.split('=', 2);
    if (key?.trim() === name && value?.trim()) return value.trim();
  }
  return undefined;
}

/** For a log-in that asks for a cookie: only a page of ours may, or another site could log its visitor in as somebody. */
export function requireConsoleOrigin(request: FastifyRequest): void {
  if (isFromOurPages(request) && request.headers[consoleHeader] !== undefined) return;
  throw new Problem('FORBIDDEN', {
    message: `A session in a cookie is for the console, whose requests carry the header "${consoleHeader}". Log in without "session" to get an accessToken.`,
  });
}

/** The browser keeps it until it is closed; how long the session is good is decided here and not there. */
export function setSessionCookie(request: FastifyRequest, token: string): void {
  request.sessionCookie = cookie(request, token);
}

export function clearSessionCookie(request: FastifyRequest): void {
  if (cookieOf(request) !== undefined) request.sessionCookie = `${cookie(request, '')}; Max-Age=0`;
}

const cookie = (request: FastifyRequest, value: string) =>
  `${nameFor(request)}=${value}; Path=/; HttpOnly; SameSite=Strict${request.protocol === 'https' ? '; Secure' : ''}`;

/** Handlers answer with a value alone; what they want the browser to keep is added here. */
export function sessionCookies(server: FastifyInstance): void {
  server.decorateRequest('sessionCookie');
  server.addHook('onSend', async ({ sessionCookie }, reply, payload) => {
    if (sessionCookie !== undefined) reply.header('set-cookie', sessionCookie);
    return payload;
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The set-cookie header of the answer. */
    sessionCookie: string | undefined;
  }
}
