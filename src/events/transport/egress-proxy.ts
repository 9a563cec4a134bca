import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { STATUS_CODES } from 'node:http';
import net from 'node:net';
import tls from 'node:tls';
import { hostOf } from './address-guard.ts';
import { type Failure, localFailure } from './failure.ts';
import { lookUpName } from './name-lookup.ts';
import { type Malformed, parseResponseHead, type ResponseHead } from './response-reader.ts';

const maxHeadCharacters = 16 * 1024;
const checkTimeoutMs = 2000;
const checkCacheMs = 5000;
const endOfHead = '\r\n\r\n';

/** With these responses a proxy reports about the receiver; all others are about the proxy or this service. */
const receiverFailures: Record<number, string> = {
  403: 'The egress proxy does not allow connections to the receiver',
  502: 'The egress proxy could not connect to the receiver',
  503: 'The egress proxy could not connect to the receiver',
  504: 'The egress proxy could not connect to the receiver in time',
};

/**
 * Opens connections to receivers through an HTTP proxy (CONNECT). The proxy gets addresses that passed the guard, not
 * names, which could resolve to other addresses there.
 */
export class EgressProxy {
  readonly #url: URL;
  #checked: { at: number; isDown: Promise<boolean> } | undefined;

  constructor(url: URL) {
    this.#url = url;
  }

  /** A connection to the address, or why there is none. Never rejects. */
  async open({ address, family }: LookupAddress, port: number, signal: AbortSignal): Promise<net.Socket | Failure> {
    const authority = family === 6 ? `[${address}]:${port}` : `${address}:${port}`;
    const response = await this.#request(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n`, signal);
    if ('failure' in response) return localFailure(response.failure);
    const { head, socket } = response;
    if ('malformed' in head) {
      socket.destroy();
      return localFailure(`The egress proxy did not respond with HTTP/1.1 (${head.malformed}).`);
    }
    if (head.status >= 200 && head.status < 300) return socket;
    socket.destroy();
    return rejected(head.status);
  }

  /** Whether the proxy does not respond at all; then a connection that was not opened in time is not the receiver's fault. */
  isDown(): Promise<boolean> {
    const now = performance.now();
    if (!this.#checked || now - this.#checked.at > checkCacheMs) this.#checked = { at: now, isDown: this.#check() };
    return this.#checked.isDown;
  }

  /** Proxies respond to any request, if only with an error. */
  async #check(): Promise<boolean> {
    const response = await this.#request(
      `OPTIONS * HTTP/1.1\r\nhost: ${this.#url.host}\r\nconnection: close\r\n`,
      AbortSignal.timeout(checkTimeoutMs),
    );
    if ('failure' in response) return true;
    response.socket.destroy();
    return false;
  }

  async #request(
    lines: string,
    signal: AbortSignal,
  ): Promise<{ socket: net.Socket; head: ResponseHead | Malformed } | { failure: string }> {
    if (signal.aborted) return { failure: 'The egress proxy did not respond in time.' };
    const socket = this.#connect();
    const abort = () => socket.destroy(signal.reason);
    signal.addEventListener('abort', abort);
    try {
      // Errors after the response belong to the connection that the socket becomes.
      socket.on('error', () => {});
      await once(socket, socket instanceof tls.TLSSocket ? 'secureConnect' : 'connect');
      socket.write(`${lines}${this.#credentials()}\r\n`);
      return { socket, head: await readHead(socket) };
    } catch (error) {
      socket.destroy();
      const { code, message } = error as NodeJS.ErrnoException;
      return { failure: `The egress proxy cannot be reached (${code ?? message}).` };
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  #connect(): net.Socket {
    const isSecure = this.#url.protocol === 'https:';
    const host = hostOf(this.#url);
    const options = { host, port: Number(this.#url.port || (isSecure ? 443 : 80)), lookup, noDelay: true };
    return isSecure
      ? tls.connect({ ...options, servername: net.isIP(host) ? '' : host, ALPNProtocols: ['http/1.1'] })
      : net.connect(options);
  }

  #credentials(): string {
    const { username, password } = this.#url;
    if (!username && !password) return '';
    const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `proxy-authorization: Basic ${Buffer.from(text).toString('base64')}\r\n`;
  }
}

/** Not `dns.lookup`, whose few threads a slow name server would occupy. */
const lookup: net.LookupFunction = (name, { all }, callback) => {
  void lookUpName(name).then((found) => {
    if ('unresolved' in found) callback(new Error(found.unresolved), []);
    else if (all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  });
};

/** Reads the head of a response and leaves what follows it in the socket. */
function readHead(socket: net.Socket): Promise<ResponseHead | Malformed> {
  const { promise, resolve, reject } = Promise.withResolvers<ResponseHead | Malformed>();
  let text = '';
  const read = () => {
    for (let bytes: Buffer | null = socket.read(); bytes; bytes = socket.read()) {
      const searchFrom = Math.max(0, text.length - endOfHead.length);
      text += bytes.toString('latin1');
      const end = text.indexOf(endOfHead, searchFrom);
      if (end >= 0) {
        // First, because unshift causes another event.
        socket.off('readable', read);
        const rest = text.slice(end + endOfHead.length);
        if (rest) socket.unshift(Buffer.from(rest, 'latin1'));
        resolve(parseResponseHead(text.slice(0, end)));
        return;
      }
      if (text.length > maxHeadCharacters) {
        socket.off('readable', read);
        resolve({ malformed: 'the headers are too long' });
        return;
      }
    }
  };
  const ended = () => resolve({ malformed: 'it closed the connection' });
  socket.on('readable', read).on('end', ended).on('close', ended).on('error', reject);
  return promise.finally(() => socket.off('readable', read).off('end', ended).off('close', ended).off('error', reject));
}

function rejected(status: number): Failure {
  const response = `(${status}${STATUS_CODES[status] ? ` ${STATUS_CODES[status]}` : ''})`;
  const detail = receiverFailures[status];
  if (detail) return { reason: 'unreachable', detail: `${detail} ${response}.` };
  if (status === 407) return localFailure(`The egress proxy rejected the credentials of this service ${response}.`);
  return localFailure(`The egress proxy rejected the connection ${response}.`);
}
