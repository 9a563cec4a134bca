import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What sandbox.json in the data folder holds: where the sandbox beside is, and the key of this installation. */
export interface SandboxFile {
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

/** For its owner alone. */
export async function writeSandboxFile(dataDir: string, file: SandboxFile): Promise<void> {
  const draft = `${pathIn(dataDir)}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, pathIn(dataDir));
}

export const newSandboxKey = (): string => randomBytes(24).toString('base64url');
