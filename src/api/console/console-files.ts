import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';

interface ConsoleFile {
  type: string;
  /** The name contains a hash of the content, so it can be cached forever. */
  isHashed: boolean;
  bytes: Buffer;
  /** Compressed at build time. */
  br?: Buffer;
  gzip?: Buffer;
}

/** The built console: its page, and the other files by path. */
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

/** Reads all files into memory: no path traversal, and no mix with a later build. Undefined if it is not built. */
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

/** The best encoding of a file that the browser accepts. */
export function encoded(file: ConsoleFile, accepted: string | undefined): { bytes: Buffer; encoding?: 'br' | 'gzip' } {
  for (const encoding of ['br', 'gzip'] as const) {
    const bytes = file[encoding];
    if (bytes && new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(?:\\.0*)?(?:,|$))`).test(accepted ?? '')) {
      return { bytes, encoding };
    }
  }
  return { bytes: file.bytes };
}
