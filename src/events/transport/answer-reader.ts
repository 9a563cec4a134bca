import { type AnswerHead, type Malformed, readAnswerHead } from './answer-head.ts';

/** Who hears what a receiver answers. */
export interface AnswerListener {
  onHead(head: AnswerHead): void;
  onBody(bytes: Buffer): void;
  /** The answer is complete; the connection may carry another request for so long. */
  onEnd(keptForMs: number): void;
  onMalformed(cause: string): void;
}

type State = 'idle' | 'head' | 'body' | 'body-until-close' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailers';

const endOfHead = '\r\n\r\n';
const endOfLine = '\r\n';
const longestHead = 16 * 1024;
const longestChunkLine = 4 * 1024;
const longestTrailers = 16 * 1024;
// Beyond a body of 16 KiB, of which no more is read: its head, and the framing of chunks of one byte each.
const longestResponse = 128 * 1024;
const mostInterim = 16;
// Each costs a wake-up of the process; a response of 16 KiB in pieces of 16 bytes has half as many.
const mostPieces = 2000;
const nothing: Buffer = Buffer.alloc(0);

/**
 * Reads the answers of one connection, in whatever pieces they come (RFC 9112). It keeps no more than a head or a line;
 * bodies are passed on as they arrive. Answers that announce another (1xx) are passed over.
 */
export class AnswerReader {
  #state: State = 'idle';
  #listener: AnswerListener | undefined;
  /** Part of a head or a line, until the rest has come. */
  #held: Buffer = nothing;
  /** Bytes of the body or the chunk that are still to come. */
  #left = 0;
  #keptForMs = 0;
  /** Of the present response. */
  #received = 0;
  #pieces = 0;
  #interim = 0;
  #trailers = 0;
  /** The last head: a receiver's answers to many requests of one second differ in nothing. */
  #headText = '';
  #head: AnswerHead | Malformed | undefined;

  get isIdle(): boolean {
    return this.#state === 'idle';
  }

  /** A request has been sent, whose answer this listener hears. */
  begin(listener: AnswerListener): void {
    this.#listener = listener;
    this.#state = 'head';
    this.#received = 0;
    this.#pieces = 0;
    this.#interim = 0;
    this.#trailers = 0;
  }

  /** What comes from now on interests nobody. */
  stop(): void {
    this.#listener = undefined;
    this.#state = 'idle';
  }

  read(chunk: Buffer): void {
    this.#received += chunk.length;
    this.#pieces += 1;
    let bytes = chunk;
    if (this.#held.length > 0) {
      bytes = Buffer.concat([this.#held, chunk]);
      this.#held = nothing;
    }
    while (this.#listener) {
      const used = this.#step(this.#listener, bytes);
      if (used === 0) break;
      bytes = bytes.subarray(used);
      if (bytes.length === 0) break;
    }
    this.#keepWithinLimits();
  }

  /** A receiver that sends without end, or in tiny pieces, must not take this process's time from the others. */
  #keepWithinLimits(): void {
    if (!this.#listener) return;
    if (this.#received > longestResponse) this.#refuse(this.#listener, 'response longer than 128 KiB');
    else if (this.#pieces > mostPieces) this.#refuse(this.#listener, `response in more than ${mostPieces} pieces`);
  }

  /** The receiver has closed its side. False when that leaves the answer incomplete. */
  end(): boolean {
    if (this.#state !== 'body-until-close' || !this.#listener) return false;
    this.#conclude(this.#listener, 0);
    return true;
  }

  /** How many bytes were used; none when there are too few. */
  #step(listener: AnswerListener, bytes: Buffer): number {
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
          if (line.length > 0) this.#refuse(listener, 'chunk longer than its size');
          else this.#state = 'chunk-size';
        });
      case 'trailers':
        return this.#readLine(listener, bytes, (line, rest) => {
          this.#trailers += line.length + endOfLine.length;
          if (line.length === 0) this.#conclude(listener, rest);
          else if (this.#trailers > longestTrailers) this.#refuse(listener, 'trailers longer than 16 KiB');
        });
      default:
        return 0;
    }
  }

  #readHead(listener: AnswerListener, bytes: Buffer): number {
    const end = bytes.indexOf(endOfHead);
    if (end > longestHead || (end < 0 && bytes.length > longestHead)) {
      return this.#refuse(listener, 'headers longer than 16 KiB');
    }
    if (!couldBeHttp(bytes)) return this.#refuse(listener, 'no HTTP/1.1 status line');
    if (end < 0) {
      this.#held = bytes;
      return 0;
    }
    const head = this.#understand(bytes.toString('latin1', 0, end));
    const used = end + endOfHead.length;
    if ('malformed' in head) return this.#refuse(listener, head.malformed);
    if (head.status === 101) return this.#refuse(listener, 'a change of protocol that was not asked for');
    if (head.status < 200) {
      this.#interim += 1;
      return this.#interim > mostInterim ? this.#refuse(listener, `more than ${mostInterim} interim responses`) : used;
    }
    listener.onHead(head);
    if (this.#listener !== listener) return used;
    this.#keptForMs = head.keptForMs;
    if (head.extent === 0) this.#conclude(listener, bytes.length - used);
    else if (head.extent === 'chunked') this.#state = 'chunk-size';
    else if (head.extent === 'until-close') this.#state = 'body-until-close';
    else {
      this.#state = 'body';
      this.#left = head.extent;
    }
    return used;
  }

  #understand(text: string): AnswerHead | Malformed {
    if (this.#head && text === this.#headText) return this.#head;
    this.#headText = text;
    this.#head = readAnswerHead(text);
    return this.#head;
  }

  #readPart(listener: AnswerListener, bytes: Buffer): number {
    const part = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
    this.#left -= part.length;
    listener.onBody(part);
    if (this.#left > 0 || this.#listener !== listener) return part.length;
    if (this.#state === 'chunk') this.#state = 'chunk-end';
    else this.#conclude(listener, bytes.length - part.length);
    return part.length;
  }

  #readLine(listener: AnswerListener, bytes: Buffer, use: (line: string, bytesBehind: number) => void): number {
    const end = bytes.indexOf(endOfLine);
    if (end > longestChunkLine || (end < 0 && bytes.length > longestChunkLine)) {
      return this.#refuse(listener, 'line in a chunked body longer than 4 KiB');
    }
    if (end < 0) {
      this.#held = bytes;
      return 0;
    }
    const used = end + endOfLine.length;
    use(bytes.toString('latin1', 0, end), bytes.length - used);
    return used;
  }

  #startChunk(listener: AnswerListener, line: string): void {
    const size = /^([\da-f]{1,12})[ \t]*(?:;.*)?$/i.exec(line)?.[1];
    if (size === undefined) {
      this.#refuse(listener, 'invalid chunk size');
      return;
    }
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? 'trailers' : 'chunk';
  }

  #conclude(listener: AnswerListener, bytesBehind: number): void {
    this.stop();
    // Whoever sends more than was asked for cannot be believed to know which answer is the next one's.
    listener.onEnd(bytesBehind === 0 ? this.#keptForMs : 0);
  }

  #refuse(listener: AnswerListener, malformed: Malformed['malformed']): number {
    this.stop();
    listener.onMalformed(malformed);
    return 0;
  }
}

/** Whether it begins as an answer does: whoever speaks another protocol is not waited for. */
function couldBeHttp(bytes: Buffer): boolean {
  const beginning = 'HTTP/1.';
  return beginning.startsWith(bytes.toString('latin1', 0, beginning.length));
}
