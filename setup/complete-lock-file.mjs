// Adds platform packages that are missing in the registry to package-lock.json, because "npm ci" rejects the file without
// them. Run it after "npm install".
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const lock = JSON.parse(readFileSync(file, 'utf8'));
const { '': root, ...packages } = lock.packages;

for (const [path, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const platform = /-(android|darwin|freebsd|linux|openharmony|win32)-([a-z0-9]+)(?:-(\w+))?$/.exec(name);
    if (isLocked(path, name) || !platform) continue;
    const [, os, cpu, libc] = platform;
    packages[`node_modules/${name}`] = {
      version,
      cpu: [cpu],
      ...(dev && { dev }),
      ...(os === 'linux' && libc && { libc: [libc.startsWith('musl') ? 'musl' : 'glibc'] }),
      optional: true,
      os: [os],
    };
  }
}
const sorted = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en')));
writeFileSync(file, `${JSON.stringify({ ...lock, packages: { '': root, ...sorted } }, null, 2)}\n`);

function isLocked(from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (`${folder}${folder && '/'}node_modules/${name}` in lock.packages) return true;
    if (folder === '') return false;
  }
}
