import { open } from 'node:fs/promises';

interface Element {
  id: number;
  /** Start of the content. */
  inner: number;
  end: number;
}

/** Tracks precede the media data, within the first megabyte. */
const headBytes = 1024 * 1024;
const segment = 0x18538067;
const tracks = 0x1654ae6b;
const track = 0xae;
const video = 0xe0;
const pixelWidth = 0xb0;
const pixelHeight = 0xba;

/** Size of the first video track of a WebM file; empty if absent. */
export async function webmSize(path: string): Promise<{ width?: number; height?: number }> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
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

/** Elements at the given path of ids. */
function* within(bytes: Buffer, container: Element, [id, ...inner]: readonly number[]): Generator<Element> {
  for (
    let found = elementAt(bytes, container.inner, container.end);
    found;
    found = elementAt(bytes, found.end, container.end)
  ) {
    if (found.id !== id) continue;
    if (inner.length === 0) yield found;
    else yield* within(bytes, found, inner);
  }
}

/** EBML element: id and length, each with a length prefix of leading zeros, then the content. */
function elementAt(bytes: Buffer, at: number, limit: number): Element | undefined {
  const idLength = lengthAt(bytes, at);
  const sizeAt = at + idLength;
  const sizeLength = lengthAt(bytes, sizeAt);
  const inner = sizeAt + sizeLength;
  if (idLength > 4 || sizeLength > 8 || inner > limit) return undefined;
  // The marker bit is not part of the number. An unknown length is all ones and ends at the limit.
  const size = numberAt(bytes, sizeAt, inner) - 2 ** (7 * sizeLength);
  return { id: numberAt(bytes, at, sizeAt), inner, end: Math.min(inner + size, limit) };
}

const lengthAt = (bytes: Buffer, at: number) => Math.clz32(bytes[at] ?? 0) - 23;

const numberAt = (bytes: Buffer, from: number, to: number) =>
  bytes.subarray(from, to).reduce((number, byte) => number * 256 + byte, 0);

/** Pixel sizes have at most two bytes; longer values are ignored. */
function numbersIn(bytes: Buffer, container: Element, id: number): number[] {
  const found = [...within(bytes, container, [id])].slice(0, 1);
  return found.filter(({ inner, end }) => end - inner <= 2).map(({ inner, end }) => numberAt(bytes, inner, end));
}
