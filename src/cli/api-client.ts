import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { urlWithScheme } from '../config/parse.ts';
import { settings } from '../config/settings.ts';
import { effectiveText, sourceVariable } from '../config.ts';
import { trimEndOf } from '../text.ts';
import { CommandError, readOption, UsageError, value } from './command.ts';

export interface Credentials {
  url: string;
  privateKey: string;
  /** The source of the key, for the error message. */
  keySource: string;
}

/** The options of every command that talks to a server. */
export const credentialOptions = { url: value, key: value } as const;

export const credentialHelp = `  --url URL           server URL (or ${settings.serverUrl.variable}; default: the demo server, or this machine)
  --key KEY           private key of the partner (or ${settings.privateKey.variable}; default: the demo partner's)
`;

interface Demo {
  file: string;
  baseUrl: string;
  privateKey: string;
}

/** Precedence: options, environment, demo.json. */
export function findCredentials(given: { url?: string; key?: string }, env: NodeJS.ProcessEnv): Credentials {
  const demo = readDemo(env);
  const url = findUrl(given.url, env) ?? demo?.baseUrl ?? `http://127.0.0.1:${effectiveText(settings.port, env)}`;
  if (given.key) return { url, privateKey: given.key, keySource: '--key' };
  const fromEnvironment = effectiveText(settings.privateKey, env);
  if (fromEnvironment) return { url, privateKey: fromEnvironment, keySource: sourceVariable(settings.privateKey, env) };
  if (demo && isFor(demo, url)) return { url, privateKey: demo.privateKey, keySource: demo.file };
  throw new UsageError(
    `No private key for ${url}. Set --key or ${settings.privateKey.variable}, or run "npm start" to create a demo partner.`,
  );
}

function findUrl(given: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const { variable, parse } = settings.serverUrl;
  if (given !== undefined) return withoutSlash(readOption('--url', given, urlWithScheme('http', 'https')));
  const fromEnvironment = env[variable];
  return fromEnvironment ? withoutSlash(readOption(variable, fromEnvironment, parse)) : undefined;
}

/** The key of the demo partner is not sent to other machines. */
function isFor(demo: Demo, url: string): boolean {
  const own = ['localhost', '127.0.0.1', '[::1]', new URL(demo.baseUrl).hostname];
  return own.includes(new URL(url).hostname);
}

function readDemo(env: NodeJS.ProcessEnv): Demo | undefined {
  const file = join(effectiveText(settings.dataDir, env) ?? '', 'demo.json');
  const advice = 'Start Waypost to write it again, or set --url and --key.';
  try {
    const demo = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof demo?.baseUrl === 'string' && typeof demo.privateKey === 'string' && URL.canParse(demo.baseUrl)) {
      return { file, baseUrl: withoutSlash(demo.baseUrl), privateKey: demo.privateKey };
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new CommandError(`${file} cannot be read (${code ?? message}). ${advice}`);
  }
  throw new CommandError(`${file} does not contain baseUrl and privateKey. ${advice}`);
}

const withoutSlash = (url: string) => trimEndOf(url, /\//);

const timeoutMs = 30_000;
const maxAttempts = 3;

/** An error response of the API. */
export class ApiError extends CommandError {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

interface Envelope<T> {
  status: string;
  response: T;
  message?: string;
}

/** Calls the API for a command and converts errors to messages for the terminal. */
export class ApiClient {
  readonly #credentials: Credentials;

  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  /** Returns the `response` of the envelope. */
  async call<T>(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<T> {
    const { url, privateKey, keySource } = this.#credentials;
    const response = await this.#send(`${url}${path}`, {
      method,
      headers: {
        privateKey,
        ...(body && { 'content-type': 'application/json' }),
        ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const envelope = (await response.json().catch(() => undefined)) as Envelope<T> | undefined;
    if (typeof envelope?.status !== 'string') {
      throw new CommandError(`The server at ${url} is not Waypost (HTTP ${response.status}). Check the URL.`);
    }
    if (response.ok) return envelope.response;
    const advice = envelope.status === 'BAD_PRIVATE_KEY' ? ` The key was read from ${keySource}.` : '';
    throw new ApiError(response.status, `${envelope.message}${advice}`);
  }

  /** Undefined if there is no such record. */
  async find<T>(path: string): Promise<T | undefined> {
    try {
      return await this.call<T>('GET', path);
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return undefined;
      throw error;
    }
  }

  /** Retries lost connections; the Idempotency-Key prevents a second execution. */
  async #send(url: string, request: RequestInit): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        // A redirect would send the private key to another server.
        return await fetch(url, { ...request, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
      } catch (error) {
        const reason = reasonOf(error);
        if (attempt < maxAttempts && connectionErrors.has(reason)) continue;
        throw new CommandError(explain(this.#credentials.url, reason));
      }
    }
  }
}

const connectionErrors = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** fetch hides the reason in `cause`. */
function reasonOf(error: unknown): string {
  const { cause, name, message } = error as Error & { cause?: NodeJS.ErrnoException };
  return cause?.code ?? (name === 'TimeoutError' ? name : (cause?.message ?? message));
}

function explain(url: string, reason: string): string {
  if (reason === 'ECONNREFUSED') {
    return `No server is running at ${url}. Start Waypost with "npm start", or set --url or WAYPOST_URL.`;
  }
  if (connectionErrors.has(reason)) {
    return `${url} closed the connection without a response. If the server uses HTTPS, start the URL with https://.`;
  }
  if (reason === 'TimeoutError') return `${url} did not respond within ${timeoutMs / 1000} s.`;
  if (/CERT|TLS|SSL/.test(reason)) {
    return `The certificate of ${url} is not trusted (${reason}). If it is self-signed, set NODE_EXTRA_CA_CERTS to its file.`;
  }
  return `${url} cannot be reached (${reason}). Check the URL and the network.`;
}
