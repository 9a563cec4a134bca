import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';

interface ConsoleFile {
  type: string;
  /** Its name changes with its content, so that it may be kept for good. */
  isHashed: boolean;
  bytes: Buffer;
  /** The same, compressed when the console was built. */
  br?: Buffer;
  gzip?: Buffer;
}

/** The console as it was built: its page, and every other file by its path. */
export interface BuiltConsole {
  page: string;
  files: ReadonlyMap<string, ConsoleFile>;
}

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
};

/**
 * All of it, to be answered from memory: only what is in the folder has a name, and a later build does not mix with
 * this one. Undefined when it was not built.
 */
export async function readConsole(folder: string): Promise<BuiltConsole | undefined> {
  const page = await readFile(join(folder, 'index.html'), 'utf8').catch(() => undefined);
  if (page === undefined) return undefined;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const known = new Set(paths);
  const files = new Map<string, ConsoleFile>();
  for (const path of paths) {
    const type = types[extname(path)];
    if (!type) continue;
    const name = path
      .slice(folder.length + 1)
      .split(sep)
      .join('/');
    const compressed = (ending: string) => (known.has(path + ending) ? readFile(path + ending) : undefined);
    const [bytes, br, gzip] = await Promise.all([readFile(path), compressed('.br'), compressed('.gz')]);
    files.set(name, { type, isHashed: name.startsWith('assets/'), bytes, ...(br && { br }), ...(gzip && { gzip }) });
  }
  return { page, files };
}

/** The smallest form of a file that a browser says it understands. */
export function encoded(file: ConsoleFile, accepted: string | undefined): { bytes: Buffer; encoding?: 'br' | 'gzip' } {
  for (const encoding of ['br', 'gzip'] as const) {
    const bytes = file[encoding];
    if (bytes && new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(?:\\.0*)?(?:,|$))`).test(accepted ?? '')) {
      return { bytes, encoding };
    }
  }
  return { bytes: file.bytes };
}
