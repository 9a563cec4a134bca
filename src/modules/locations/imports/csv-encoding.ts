import { isUtf8 } from 'node:buffer';

/** Follows the bytes of a text and finds the first that is not UTF-8. A letter may be cut in two by the chunks. */
export class Utf8Check {
  #cut: Buffer = Buffer.alloc(0);

  /** Where in the chunk the first wrong letter begins; negative when it began in the chunk before. */
  push(chunk: Buffer): number | undefined {
    const bytes = this.#cut.length > 0 ? Buffer.concat([this.#cut, chunk]) : chunk;
    const before = this.#cut.length;
    const whole = bytes.length - unfinishedAtEnd(bytes);
    if (!isUtf8(bytes.subarray(0, whole))) return firstWrong(bytes.subarray(0, whole)) - before;
    this.#cut = Buffer.from(bytes.subarray(whole));
    return undefined;
  }

  /** Whether the text ends within a letter. */
  get isUnfinished(): boolean {
    return this.#cut.length > 0;
  }
}

/** How many bytes at the end begin a letter that has more bytes than are there. */
function unfinishedAtEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return lengthBy(byte) > back ? back : 0;
  }
  return 0;
}

const lengthBy = (first: number) => (first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1);

function firstWrong(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length) {
    const end = at + lengthBy(bytes[at] as number);
    if (!isUtf8(bytes.subarray(at, end))) break;
    at = end;
  }
  return at;
}
