import type { FileHandle } from 'node:fs/promises';

/** Shorter at the end of the file. */
export async function readAt(file: Pick<FileHandle, 'read'>, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let done = 0;
  // A single call can read or write a part only.
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

export async function writeAt(file: Pick<FileHandle, 'write'>, position: number, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}

/** Overwrites a range with zeros. */
export async function clearRange(file: Pick<FileHandle, 'write'>, from: number, to: number): Promise<void> {
  const zeros = Buffer.alloc(64 * 1024);
  for (let at = from; at < to; at += zeros.length) await writeAt(file, at, zeros.subarray(0, to - at));
}
