import { isUtf8 } from 'node:buffer';

/** Finds the first invalid UTF-8 byte of a stream. Characters may be split across chunks. */
export class Utf8Check {
  #pending: Buffer = Buffer.alloc(0);

  /** Offset of the first invalid character in the chunk; negative when it starts in the previous chunk. */
  push(chunk: Buffer): number | undefined {
    const bytes = this.#pending.length > 0 ? Buffer.concat([this.#pending, chunk]) : chunk;
    const before = this.#pending.length;
    const whole = bytes.length - incompleteTail(bytes);
    if (!isUtf8(bytes.subarray(0, whole))) return firstInvalid(bytes.subarray(0, whole)) - before;
    this.#pending = Buffer.from(bytes.subarray(whole));
    return undefined;
  }

  /** Whether the stream ends within a character. */
  get isIncomplete(): boolean {
    return this.#pending.length > 0;
  }
}

/** Number of trailing bytes that start an incomplete character. */
function incompleteTail(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

const sequenceLength = (first: number) => (first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1);

function firstInvalid(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length) {
    const end = at + sequenceLength(bytes[at] as number);
    if (!isUtf8(bytes.subarray(at, end))) break;
    at = end;
  }
  return at;
}
