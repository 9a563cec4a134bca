import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Entry {
  version?: string;
  integrity?: string;
  link?: boolean;
  os?: string[];
  cpu?: string[];
  optionalDependencies?: Record<string, string>;
}

const root = join(import.meta.dirname, '..');
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Entry>;
};

/** Follows the module resolution of Node.js: next to the package or above it. */
function isInstalled(from: string, name: string): boolean {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (`${folder}${folder && '/'}node_modules/${name}` in packages) return true;
    if (folder === '') return false;
  }
}

test('lists the packages of all platforms, which "npm ci" requires', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !isInstalled(path, name)),
  );
  expect(missing).toEqual([]);
});

test('has integrity hashes for Linux on x64 and arm64, and no registry URLs', () => {
  const isFor = ({ os = ['linux'], cpu = ['x64', 'arm64'] }: Entry) =>
    os.includes('linux') && (cpu.includes('x64') || cpu.includes('arm64'));
  const unpinned = Object.entries(packages)
    .filter(([path, entry]) => path.includes('node_modules/') && !entry.link && isFor(entry) && !entry.integrity)
    .map(([path]) => path);
  // The registry that was used for the lock file has no musl packages.
  expect(unpinned.filter((path) => !path.endsWith('-musl'))).toEqual([]);
  expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).not.toContain('"resolved": "http');
});
