import type { Socket } from 'node:net';

const interim = Buffer.from('HTTP/1.1 100');
const endOfHead = '\r\n\r\n';
const longestHead = 16 * 1024;

/**
 * Takes "100 Continue" out of what a socket reads while an answer is awaited. RFC 9110, section 15.2, tells clients
 * to pass over one they did not ask for; undici ends the connection instead.
 */
export function passOverContinue(socket: Socket, awaitsAnswer: () => boolean): void {
  const read = socket.read;
  let held: Buffer | undefined;

  socket.read = (size?: number): Buffer | null => {
    let chunk: Buffer | null = read.call(socket, size);
    if (chunk === null || !awaitsAnswer()) return chunk;
    if (held) chunk = Buffer.concat([held, chunk]);
    held = undefined;
    while (mayBeInterim(chunk)) {
      const end = chunk.indexOf(endOfHead);
      if (end === -1 && chunk.length < longestHead) {
        held = chunk;
        return null;
      }
      if (end === -1) return chunk;
      chunk = chunk.subarray(end + endOfHead.length);
      if (chunk.length === 0) return null;
    }
    return chunk;
  };
}

function mayBeInterim(chunk: Buffer): boolean {
  // The first digit of the status tells nearly every final answer apart.
  if (chunk.length > 9 && chunk[9] !== interim[9]) return false;
  const length = Math.min(chunk.length, interim.length);
  return chunk.compare(interim, 0, length, 0, length) === 0;
}
