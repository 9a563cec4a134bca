// Builds the package for `import` and for `require`. Runs before `npm pack`.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const tsc = fileURLToPath(new URL('../bin/tsc', import.meta.resolve('typescript')));

rmSync(`${folder}dist`, { recursive: true, force: true });
for (const project of ['tsconfig.json', 'tsconfig.commonjs.json']) {
  execFileSync(process.execPath, [tsc, '-p', `${folder}${project}`], { stdio: 'inherit' });
}
writeFileSync(`${folder}dist/commonjs/package.json`, '{ "type": "commonjs" }\n');

// tsc keeps the extension .ts in declarations, which TypeScript before 5.0 rejects.
for (const name of readdirSync(`${folder}dist`, { recursive: true })) {
  if (!name.endsWith('.d.ts')) continue;
  const file = `${folder}dist/${name}`;
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.\/[a-z-]+)\.ts'/g, "$1.js'"));
}
