import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The content of sandbox.json: the URL and the key of the local sandbox. */
interface SandboxFile {
  url: string;
  key: string;
}

const pathIn = (dataDir: string) => join(dataDir, 'sandbox.json');

export async function readSandboxFile(dataDir: string): Promise<SandboxFile | undefined> {
  try {
    const { url, key } = JSON.parse(await readFile(pathIn(dataDir), 'utf8'));
    return typeof url === 'string' && typeof key === 'string' ? { url, key } : undefined;
  } catch {
    return undefined;
  }
}

export async function writeSandboxFile(dataDir: string, file: SandboxFile): Promise<void> {
  const draft = `${pathIn(dataDir)}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, pathIn(dataDir));
}

export const newSandboxKey = (): string => randomBytes(24).toString('base64url');
