import { open } from 'node:fs/promises';

interface Element {
  id: number;
  /** Where its content begins. */
  inner: number;
  end: number;
}

/** The tracks stand before the pictures themselves, behind an index at most. */
const read = 1024 * 1024;
const segment = 0x18538067;
const tracks = 0x1654ae6b;
const track = 0xae;
const video = 0xe0;
const pixelWidth = 0xb0;
const pixelHeight = 0xba;

/** How large the picture of a WebM file is, as the head of its first track with a picture says. Nothing when it does not. */
export async function webmSize(path: string): Promise<{ width?: number; height?: number }> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(read), 0, read, 0);
    const bytes = buffer.subarray(0, bytesRead);
    const whole = { id: 0, inner: 0, end: bytes.length };
    for (const picture of within(bytes, whole, [segment, tracks, track, video])) {
      const [width = 0] = numbersIn(bytes, picture, pixelWidth);
      const [height = 0] = numbersIn(bytes, picture, pixelHeight);
      if (width > 0 && height > 0) return { width, height };
    }
    return {};
  } finally {
    await file.close();
  }
}

/** The elements that lie in each other in this order. */
function* within(bytes: Buffer, holder: Element, [id, ...inner]: readonly number[]): Generator<Element> {
  for (let found = elementAt(bytes, holder.inner, holder.end); found; found = elementAt(bytes, found.end, holder.end)) {
    if (found.id !== id) continue;
    if (inner.length === 0) yield found;
    else yield* within(bytes, found, inner);
  }
}

/** An id and a length, each of as many bytes as the zeros before its first bit say; then the content. */
function elementAt(bytes: Buffer, at: number, limit: number): Element | undefined {
  const idLength = lengthAt(bytes, at);
  const sizeAt = at + idLength;
  const sizeLength = lengthAt(bytes, sizeAt);
  const inner = sizeAt + sizeLength;
  if (idLength > 4 || sizeLength > 8 || inner > limit) return undefined;
  // The first bit is not part of the number. A length that is not known yet is all ones, and ends at the limit as well.
  const size = numberAt(bytes, sizeAt, inner) - 2 ** (7 * sizeLength);
  return { id: numberAt(bytes, at, sizeAt), inner, end: Math.min(inner + size, limit) };
}

const lengthAt = (bytes: Buffer, at: number) => Math.clz32(bytes[at] ?? 0) - 23;

const numberAt = (bytes: Buffer, from: number, to: number) =>
  bytes.subarray(from, to).reduce((number, byte) => number * 256 + byte, 0);

/** Of a picture's size; what has more bytes is none. */
function numbersIn(bytes: Buffer, holder: Element, id: number): number[] {
  const found = [...within(bytes, holder, [id])].slice(0, 1);
  return found.filter(({ inner, end }) => end - inner <= 2).map(({ inner, end }) => numberAt(bytes, inner, end));
}
