import { randomUUID } from 'node:crypto';
import { CommandError } from './command.ts';
import type { Credentials } from './credentials.ts';

const patienceMs = 30_000;
const mostTries = 3;

/** The server has answered that it will not do it. */
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

/** Calls the API for a command; whatever goes wrong is a sentence for the person at the terminal. */
export class ApiClient {
  readonly #credentials: Credentials;

  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  /** Answers the `response` of the envelope. */
  async call<T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<T> {
    const { url, privateKey, keySource } = this.#credentials;
    const answer = await this.#send(`${url}${path}`, {
      method,
      headers: {
        privateKey,
        ...(body && { 'content-type': 'application/json' }),
        ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const envelope = (await answer.json().catch(() => undefined)) as Envelope<T> | undefined;
    if (typeof envelope?.status !== 'string') {
      throw new CommandError(`What answers at ${url} is not Waypost (HTTP ${answer.status}). Check the address.`);
    }
    if (answer.ok) return envelope.response;
    const advice = envelope.status === 'BAD_PRIVATE_KEY' ? ` It came from ${keySource}.` : '';
    throw new ApiError(answer.status, `${envelope.message}${advice}`);
  }

  /** A request whose answer got lost is sent again: its Idempotency-Key sees to it that it is carried out once. */
  async #send(url: string, request: RequestInit): Promise<Response> {
    for (let tries = 1; ; tries += 1) {
      try {
        // A redirect would take the private key to wherever it leads.
        return await fetch(url, { ...request, redirect: 'manual', signal: AbortSignal.timeout(patienceMs) });
      } catch (error) {
        const reason = reasonOf(error);
        if (tries < mostTries && lostAnswers.has(reason)) continue;
        throw new CommandError(explain(this.#credentials.url, reason));
      }
    }
  }
}

const lostAnswers = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** fetch wraps what happened in an error that says nothing. */
function reasonOf(error: unknown): string {
  const { cause, name, message } = error as Error & { cause?: NodeJS.ErrnoException };
  return cause?.code ?? (name === 'TimeoutError' ? name : (cause?.message ?? message));
}

function explain(url: string, reason: string): string {
  if (reason === 'ECONNREFUSED') {
    return `Nothing answers at ${url}. Start Waypost with "npm start", or say where it runs with --url or WAYPOST_URL.`;
  }
  if (lostAnswers.has(reason)) {
    return `${url} closes the connection without an answer. If it speaks HTTPS, begin the address with https://.`;
  }
  if (reason === 'TimeoutError') return `${url} has not answered within ${patienceMs / 1000} s.`;
  if (/CERT|TLS|SSL/.test(reason)) {
    return `The certificate of ${url} is not trusted (${reason}). If it is your own, set NODE_EXTRA_CA_CERTS to its file.`;
  }
  return `${url} cannot be reached (${reason}). Check the address and the network.`;
}
