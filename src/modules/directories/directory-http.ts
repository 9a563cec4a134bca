import { Agent } from 'undici';
import type { DirectoryFault } from './connector.ts';

const mostBytes = 8 * 1024 * 1024;
const longestWaitSeconds = 86_400;

export interface HttpRequest {
  origin: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  headers: Record<string, string>;
  body?: object;
}

/** What a directory said, in JSON that could be read. */
export interface HttpResponse {
  status: number;
  body: unknown;
}

/** HTTP with one directory: few connections of its own, a time limit for the whole exchange, a limit for the answer. */
export class DirectoryHttp {
  readonly #name: string;
  readonly #timeoutMs: number;
  readonly #agent: Agent;

  constructor(name: string, timeoutMs: number) {
    this.#name = name;
    this.#timeoutMs = timeoutMs;
    this.#agent = new Agent({ connections: 16, pipelining: 1, keepAliveTimeout: 4_000 });
  }

  /** Whatever is not an answer in JSON below 500 is a fault. */
  async exchange({ origin, method, path, headers, body }: HttpRequest): Promise<HttpResponse | DirectoryFault> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      const answer = await this.#agent.request({
        origin,
        method,
        path,
        headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }), ...headers },
        ...(body && { body: JSON.stringify(body) }),
        signal,
        headersTimeout: this.#timeoutMs,
        bodyTimeout: this.#timeoutMs,
      });
      const text = await readText(answer.body);
      if (text === undefined) return this.#unavailable(`sent more than ${mostBytes} bytes`);
      const status = answer.statusCode;
      if (status === 429) return this.#limited(answer.headers['retry-after']);
      if (status >= 500) return this.#unavailable(`answered HTTP ${status}`);
      return { status, body: JSON.parse(text, cleanText) };
    } catch (error) {
      if (signal.aborted) return this.#unavailable(`did not answer within ${this.#timeoutMs} ms`);
      const { code, message } = error as NodeJS.ErrnoException;
      if (error instanceof SyntaxError) return this.#unavailable('sent something that is not JSON');
      return this.#unavailable(`cannot be reached (${code ?? message})`);
    }
  }

  invalidResponse = (status: number): DirectoryFault =>
    this.#unavailable(`sent an answer that makes no sense (HTTP ${status})`);

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  #limited(header: string | string[] | undefined): DirectoryFault {
    const seconds = Number(String(header ?? ''));
    const retryAfterSeconds = seconds > 0 ? Math.min(Math.ceil(seconds), longestWaitSeconds) : 1;
    return { fault: 'limited', retryAfterSeconds, detail: `${this.#name} asks to wait ${retryAfterSeconds} s.` };
  }

  #unavailable = (what: string): DirectoryFault => ({ fault: 'unavailable', detail: `${this.#name} ${what}.` });
}

/** Undefined when it is too much. */
async function readText(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > mostBytes) {
      body.destroy();
      return undefined;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Text that no database takes (NUL, half a surrogate pair) is mended rather than refused. */
const cleanText = (_: string, value: unknown) =>
  typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value;
