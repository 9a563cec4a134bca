import type { FileStore } from '../../src/storage/file-store.ts';

/** A file store that stalls after the first chunk of a file until `resume` is called. */
export function stallingFiles(files: FileStore): FileStore & { started: Promise<void>; resume(): void } {
  const started = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  async function* stalled(content: AsyncIterable<Uint8Array>) {
    for await (const chunk of content) {
      yield chunk;
      started.resolve();
      await gate.promise;
    }
  }
  return {
    put: (name, content) => files.put(name, stalled(content)),
    read: (name, range) => files.read(name, range),
    exists: (name) => files.exists(name),
    remove: (name) => files.remove(name),
    close: () => files.close(),
    started: started.promise,
    resume: gate.resolve,
  };
}
