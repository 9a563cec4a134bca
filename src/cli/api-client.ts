import { randomUUID } from 'node:crypto';
import { CommandError } from './command.ts';
import type { Credentials } from './credentials.ts';

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
  async call<T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<T> {
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
