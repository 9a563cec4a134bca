export interface ResponseListener {
  onHead(head: ResponseHead): void;
  onBody(bytes: Buffer): void;
  /** The response is complete; the connection can be reused for this long. */
  onEnd(keepAliveMs: number): void;
  onMalformed(cause: string): void;
}

type State = 'idle' | 'head' | 'body' | 'body-until-close' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailers';

const endOfHead = '\r\n\r\n';
const endOfLine = '\r\n';
const maxHeadBytes = 16 * 1024;
const maxChunkLineBytes = 4 * 1024;
const maxTrailerBytes = 16 * 1024;
// 16 KiB of body, the head, and the framing of one-byte chunks.
const maxResponseBytes = 128 * 1024;
const maxInterimResponses = 16;
// Each piece costs an event loop turn; 16 KiB in pieces of 16 bytes is about 1000.
const maxPieces = 2000;
const empty: Buffer = Buffer.alloc(0);

/**
 * Incremental parser for the responses of one connection (RFC 9112). Buffers at most a head or a line; bodies are
 * streamed to the listener. Interim responses (1xx) are skipped.
 */
export class ResponseReader {
  #state: State = 'idle';
  #listener: ResponseListener | undefined;
  /** Incomplete head or line. */
  #pendingBytes: Buffer = empty;
  /** Remaining bytes of the body or the chunk. */
  #left = 0;
  #keepAliveMs = 0;
  /** Bytes of the current response. */
  #received = 0;
  #pieces = 0;
  #interim = 0;
  #trailers = 0;
  /** Cache of the last head: a receiver's responses within a second are often identical. */
  #headText = '';
  #head: ResponseHead | Malformed | undefined;

  get isIdle(): boolean {
    return this.#state === 'idle';
  }

  /** Starts reading the response to a request that has been sent. */
  begin(listener: ResponseListener): void {
    this.#listener = listener;
    this.#state = 'head';
    this.#received = 0;
    this.#pieces = 0;
    this.#interim = 0;
    this.#trailers = 0;
  }

  stop(): void {
    this.#listener = undefined;
    this.#state = 'idle';
  }

  read(chunk: Buffer): void {
    this.#received += chunk.length;
    this.#pieces += 1;
    let bytes = chunk;
    if (this.#pendingBytes.length > 0) {
      bytes = Buffer.concat([this.#pendingBytes, chunk]);
      this.#pendingBytes = empty;
    }
    while (this.#listener) {
      const used = this.#step(this.#listener, bytes);
      if (used === 0) break;
      bytes = bytes.subarray(used);
      if (bytes.length === 0) break;
    }
    this.#enforceLimits();
  }

  /** Rejects endless responses and responses in tiny pieces, which would block other deliveries. */
  #enforceLimits(): void {
    if (!this.#listener) return;
    if (this.#received > maxResponseBytes) this.#reject(this.#listener, 'response longer than 128 KiB');
    else if (this.#pieces > maxPieces) this.#reject(this.#listener, `response in more than ${maxPieces} pieces`);
  }

  /** Called when the receiver closes its side. Returns false if the response is incomplete. */
  end(): boolean {
    if (this.#state !== 'body-until-close' || !this.#listener) return false;
    this.#complete(this.#listener, 0);
    return true;
  }

  /** Returns the number of consumed bytes; 0 if more are needed. */
  #step(listener: ResponseListener, bytes: Buffer): number {
    switch (this.#state) {
      case 'head':
        return this.#readHead(listener, bytes);
      case 'body':
      case 'chunk':
        return this.#readPart(listener, bytes);
      case 'body-until-close':
        listener.onBody(bytes);
        return bytes.length;
      case 'chunk-size':
        return this.#readLine(listener, bytes, (line) => this.#startChunk(listener, line));
      case 'chunk-end':
        return this.#readLine(listener, bytes, (line) => {
          if (line.length > 0) this.#reject(listener, 'chunk longer than its size');
          else this.#state = 'chunk-size';
        });
      case 'trailers':
        return this.#readLine(listener, bytes, (line, rest) => {
          this.#trailers += line.length + endOfLine.length;
          if (line.length === 0) this.#complete(listener, rest);
          else if (this.#trailers > maxTrailerBytes) this.#reject(listener, 'trailers longer than 16 KiB');
        });
      default:
        return 0;
    }
  }

  #readHead(listener: ResponseListener, bytes: Buffer): number {
    const end = bytes.indexOf(endOfHead);
    if (end > maxHeadBytes || (end < 0 && bytes.length > maxHeadBytes)) {
      return this.#reject(listener, 'headers longer than 16 KiB');
    }
    if (!couldBeHttp(bytes)) return this.#reject(listener, 'no HTTP/1.1 status line');
    if (end < 0) {
      this.#pendingBytes = bytes;
      return 0;
    }
    const head = this.#parseHead(bytes.toString('latin1', 0, end));
    const used = end + endOfHead.length;
    if ('malformed' in head) return this.#reject(listener, head.malformed);
    if (head.status === 101) return this.#reject(listener, 'protocol change that was not requested');
    if (head.status < 200) {
      this.#interim += 1;
      return this.#interim > maxInterimResponses
        ? this.#reject(listener, `more than ${maxInterimResponses} interim responses`)
        : used;
    }
    listener.onHead(head);
    if (this.#listener !== listener) return used;
    this.#keepAliveMs = head.keepAliveMs;
    if (head.extent === 0) this.#complete(listener, bytes.length - used);
    else if (head.extent === 'chunked') this.#state = 'chunk-size';
    else if (head.extent === 'until-close') this.#state = 'body-until-close';
    else {
      this.#state = 'body';
      this.#left = head.extent;
    }
    return used;
  }

  #parseHead(text: string): ResponseHead | Malformed {
    if (this.#head && text === this.#headText) return this.#head;
    this.#headText = text;
    this.#head = parseResponseHead(text);
    return this.#head;
  }

  #readPart(listener: ResponseListener, bytes: Buffer): number {
    const part = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
    this.#left -= part.length;
    listener.onBody(part);
    if (this.#left > 0 || this.#listener !== listener) return part.length;
    if (this.#state === 'chunk') this.#state = 'chunk-end';
    else this.#complete(listener, bytes.length - part.length);
    return part.length;
  }

  #readLine(listener: ResponseListener, bytes: Buffer, use: (line: string, extraBytes: number) => void): number {
    const end = bytes.indexOf(endOfLine);
    if (end > maxChunkLineBytes || (end < 0 && bytes.length > maxChunkLineBytes)) {
      return this.#reject(listener, 'line in a chunked body longer than 4 KiB');
    }
    if (end < 0) {
      this.#pendingBytes = bytes;
      return 0;
    }
    const used = end + endOfLine.length;
    use(bytes.toString('latin1', 0, end), bytes.length - used);
    return used;
  }

  #startChunk(listener: ResponseListener, line: string): void {
    const size = /^([\da-f]{1,12})[ \t]*(?:;.*)?$/i.exec(line)?.[1];
    if (size === undefined) {
      this.#reject(listener, 'invalid chunk size');
      return;
    }
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? 'trailers' : 'chunk';
  }

  #complete(listener: ResponseListener, extraBytes: number): void {
    this.stop();
    // Extra bytes after the response: the connection is out of sync and is not reused.
    listener.onEnd(extraBytes === 0 ? this.#keepAliveMs : 0);
  }

  #reject(listener: ResponseListener, malformed: Malformed['malformed']): number {
    this.stop();
    listener.onMalformed(malformed);
    return 0;
  }
}

/** Whether the bytes can be the start of an HTTP response; other protocols fail without waiting. */
function couldBeHttp(bytes: Buffer): boolean {
  const beginning = 'HTTP/1.';
  return beginning.startsWith(bytes.toString('latin1', 0, beginning.length));
}

/** Length of the body (RFC 9112, section 6.3): a number of bytes or its framing. */
type BodyExtent = number | 'chunked' | 'until-close';

export interface ResponseHead {
  readonly status: number;
  /** Lower-case names; values of repeated headers are joined. Truncated. */
  readonly headers: Readonly<Record<string, string>>;
  readonly extent: BodyExtent;
  /** Keep-alive time announced by the receiver; Infinity if none, 0 if it closes the connection. */
  readonly keepAliveMs: number;
}

export interface Malformed {
  malformed: string;
}

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?=[ \r]|$)/;
const token = /^[!#$%&'*+\-.^_`|~\da-z]+$/;
// A bare CR, bare LF or NUL: parsers disagree about these, which allows response smuggling.
const strayControl = /\0|\r(?!\n)|(?<!\r)\n/;
const decimal = /^\d{1,15}$/;
const maxHeaders = 32;
const maxCharacters = 8 * 1024;

/** Parses the status line and the headers, without the empty line. */
export function parseResponseHead(text: string): ResponseHead | Malformed {
  if (strayControl.test(text)) return { malformed: 'stray control character in the head' };
  const firstEnd = indexOfLineEnd(text, 0);
  const start = statusLine.exec(text);
  if (!start) return { malformed: 'no HTTP/1.1 status line' };
  const headers = readHeaders(text, firstEnd + endOfLine.length);
  if (!headers) return { malformed: 'invalid header line' };
  const status = Number(start[2]);
  const extent = extentOf(status, headers);
  if (typeof extent === 'object') return extent;
  return {
    status,
    headers: truncateHeaders(headers),
    extent,
    keepAliveMs: extent === 'until-close' ? 0 : keepAliveMs(start[1] === '0', headers),
  };
}

function indexOfLineEnd(text: string, from: number): number {
  const end = text.indexOf(endOfLine, from);
  return end < 0 ? text.length : end;
}

/** Undefined if a line is invalid. */
function readHeaders(text: string, from: number): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (let at = from; at < text.length; ) {
    const end = indexOfLineEnd(text, at);
    const colon = text.indexOf(':', at);
    const name = text.slice(at, colon).toLowerCase();
    if (colon < 0 || colon > end || !token.test(name)) return undefined;
    const value = text.slice(colon + 1, end).trim();
    // Assigning __proto__ would not create a property. hasOwn, because a header may be called "constructor".
    if (name !== '__proto__') headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
    at = end + endOfLine.length;
  }
  return headers;
}

function extentOf(status: number, headers: Record<string, string>): BodyExtent | Malformed {
  if (status < 200 || status === 204 || status === 304) return 0;
  const coding = headers['transfer-encoding'];
  const length = headers['content-length'];
  if (coding !== undefined) {
    if (length !== undefined) return { malformed: 'both content-length and transfer-encoding' };
    return /(?:^|,)\s*chunked$/i.test(coding) ? 'chunked' : 'until-close';
  }
  if (length === undefined) return 'until-close';
  if (decimal.test(length)) return Number(length);
  // Repeated identical lengths are allowed.
  const [first = '', ...others] = length.split(',').map((text) => text.trim());
  if (!decimal.test(first) || others.some((other) => other !== first)) {
    return { malformed: 'invalid content-length' };
  }
  return Number(first);
}

function keepAliveMs(isOld: boolean, headers: Record<string, string>): number {
  const { connection } = headers;
  if (connection !== undefined || isOld) {
    const options = (connection ?? '').toLowerCase();
    if (options.includes('close') || (isOld && !options.includes('keep-alive'))) return 0;
  }
  const announced = headers['keep-alive'];
  const seconds = announced === undefined ? undefined : /timeout=(\d{1,9})/i.exec(announced)?.[1];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000;
}

/** Limits the stored headers to 32 headers and 8 KiB. */
function truncateHeaders(received: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(received);
  const kept: [string, string][] = [];
  let remaining = maxCharacters;
  for (const [name, value] of entries) {
    remaining -= name.length + value.length;
    if (kept.length === maxHeaders || remaining < 0) break;
    kept.push([name, value]);
  }
  return kept.length === entries.length ? received : Object.fromEntries(kept);
}
