import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../problems.ts';

/** The console session: HttpOnly, SameSite=Strict; writes also need a header that other origins cannot set. */
const secureName = '__Host-waypost-session';
/** Browsers accept the prefix __Host- over HTTPS only; this name is for plain HTTP on loopback. */
export const plainName = 'waypost-session';

/** A custom header needs a CORS preflight, which is never granted to other origins. */
const consoleHeader = 'x-waypost-console';

const nameFor = ({ protocol }: FastifyRequest) => (protocol === 'https' ? secureName : plainName);

export const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The access token in the cookie; undefined for requests that another site may have caused. */
export function cookieTokenOf(request: FastifyRequest): string | undefined {
  const token = sessionCookieOf(request);
  if (token === undefined || !isSameOrigin(request)) return undefined;
  if (!safeMethods.has(request.method) && request.headers[consoleHeader] === undefined) return undefined;
  return token;
}

/** "none" means that the user typed the URL or opened a bookmark. */
function isSameOrigin({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

export const sessionCookieOf = (request: FastifyRequest): string | undefined => cookieOf(request, nameFor(request));

export function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [key, value] = pair.split('=', 2);
    if (key?.trim() === name && value?.trim()) return value.trim();
  }
  return undefined;
}

/** Prevents login CSRF: only the console can request a session cookie. */
export function requireConsoleOrigin(request: FastifyRequest): void {
  if (isSameOrigin(request) && request.headers[consoleHeader] !== undefined) return;
  throw new Problem('FORBIDDEN', {
    message: `Cookie sessions are reserved for the console, which sends the header "${consoleHeader}". Sign in without "session" to get an accessToken.`,
  });
}

/** A session cookie without Max-Age: the server decides when the session expires. */
export function setSessionCookie(request: FastifyRequest, token: string): void {
  request.sessionCookie = cookie(request, token);
}

export function clearSessionCookie(request: FastifyRequest): void {
  if (sessionCookieOf(request) !== undefined) request.sessionCookie = `${cookie(request, '')}; Max-Age=0`;
}

const cookie = (request: FastifyRequest, value: string) => `${nameFor(request)}=${value}; ${cookieAttributes(request)}`;

export const cookieAttributes = ({ protocol }: FastifyRequest): string =>
  `Path=/; HttpOnly; SameSite=Strict${protocol === 'https' ? '; Secure' : ''}`;

/** Sends the cookie that a handler has set. */
export function sessionCookies(server: FastifyInstance): void {
  server.decorateRequest('sessionCookie');
  server.addHook('onSend', ({ sessionCookie }, reply, _payload, done) => {
    if (sessionCookie !== undefined) reply.header('set-cookie', sessionCookie);
    done();
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The set-cookie header of the response. */
    sessionCookie: string | undefined;
  }
}
