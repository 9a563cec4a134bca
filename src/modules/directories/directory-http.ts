import type { Agent } from 'undici';
import { retryAfterSeconds } from '../../events/transport/outcome.ts';
import type { DirectoryFault } from './connector.ts';

const maxBytes = 8 * 1024 * 1024;
const maxRetryAfterSeconds = 86_400;

export interface HttpRequest {
  origin: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  headers: Record<string, string>;
  body?: object;
}

/** A response with a valid JSON body. */
export interface HttpResponse {
  status: number;
  body: unknown;
}

/** HTTP client of one directory, with its own connections, a timeout per exchange and a maximum response size. */
export class DirectoryHttp {
  readonly #name: string;
  readonly #timeoutMs: number;
  /** Opened by the first request: processes without directories do not load the package. */
  #agent: Promise<Agent> | undefined;

  constructor(name: string, timeoutMs: number) {
    this.#name = name;
    this.#timeoutMs = timeoutMs;
  }

  /** Only a JSON response with a status below 500, except 429, is not a fault. */
  async exchange({ origin, method, path, headers, body }: HttpRequest): Promise<HttpResponse | DirectoryFault> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      this.#agent ??= openAgent();
      const agent = await this.#agent;
      const response = await agent.request({
        origin,
        method,
        path,
        headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }), ...headers },
        ...(body && { body: JSON.stringify(body) }),
        signal,
        headersTimeout: this.#timeoutMs,
        bodyTimeout: this.#timeoutMs,
      });
      const text = await readText(response.body);
      if (text === undefined) return this.#unavailable(`sent more than ${maxBytes} bytes`);
      const status = response.statusCode;
      if (status === 429) return this.#limited(response.headers['retry-after']);
      if (status >= 500) return this.#unavailable(`responded with HTTP ${status}`);
      return { status, body: parseClean(text) };
    } catch (error) {
      if (signal.aborted) return this.#unavailable(`did not respond within ${this.#timeoutMs} ms`);
      const { code, message } = error as NodeJS.ErrnoException;
      if (error instanceof SyntaxError) return this.#unavailable('sent a response that is not valid JSON');
      return this.#unavailable(`cannot be reached (${code ?? message})`);
    }
  }

  invalidResponse = (status: number): DirectoryFault =>
    this.#unavailable(`sent an unexpected response (HTTP ${status})`);

  async close(): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  #limited(header: string | string[] | undefined): DirectoryFault {
    const seconds = retryAfterSeconds(String(header ?? ''), Date.now()) || 1;
    const limit = Math.min(seconds, maxRetryAfterSeconds);
    return {
      fault: 'limited',
      retryAfterSeconds: limit,
      detail: `${this.#name} is rate limiting requests. Retry in ${limit} s.`,
    };
  }

  #unavailable = (reason: string): DirectoryFault => ({ fault: 'unavailable', detail: `${this.#name} ${reason}.` });
}

async function openAgent(): Promise<Agent> {
  const { Agent } = await import('undici');
  return new Agent({ connections: 16, pipelining: 1, keepAliveTimeout: 4_000 });
}

/** Undefined if the body exceeds `maxBytes`. */
async function readText(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      body.destroy();
      return undefined;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** NUL and surrogates are always escaped in valid JSON that was decoded from UTF-8. */
const escapedCharacter = /\\u(?:0000|d[89a-f])/i;

/** Without a reviver where possible: it makes parsing several times slower. */
const parseClean = (text: string): unknown => JSON.parse(text, escapedCharacter.test(text) ? cleanText : undefined);

/** Removes NUL and lone surrogates, which PostgreSQL rejects. */
const cleanText = (_: string, value: unknown) =>
  typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value;
