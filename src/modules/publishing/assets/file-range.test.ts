import { expect, test } from 'vitest';
import { clearRange, readAt, writeAt } from './file-range.ts';

/** A file that reads and writes at most three bytes per call. */
function slowFile(content: Buffer) {
  const step = (length: number, position: number) => Math.min(3, length, content.length - position);
  return {
    read: async (bytes: Buffer, offset: number, length: number, position: number) => {
      const bytesRead = step(length, position);
      content.copy(bytes, offset, position, position + bytesRead);
      return { bytesRead, buffer: bytes };
    },
    write: async (bytes: Buffer, offset: number, length: number, position: number) => {
      const bytesWritten = step(length, position);
      bytes.copy(content, position, offset, offset + bytesWritten);
      return { bytesWritten, buffer: bytes };
    },
  } as unknown as Parameters<typeof readAt>[0] & Parameters<typeof writeAt>[0];
}

test('continues after partial reads and writes', async () => {
  const content = Buffer.from('0123456789abcdef');
  const file = slowFile(content);
  expect(String(await readAt(file, 2, 10))).toBe('23456789ab');
  expect(String(await readAt(file, 12, 10))).toBe('cdef');
  await writeAt(file, 1, Buffer.from('ABCDEFGH'));
  await clearRange(file, 10, 15);
  expect(String(content)).toBe('0ABCDEFGH9\0\0\0\0\0f');
});
