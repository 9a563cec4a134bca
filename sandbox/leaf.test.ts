import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

const importsOf = (file: string) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(([, path = '']) =>
    normalize(join(dirname(file), path)),
  );

test('the sandbox and the platform do not import each other', () => {
  const programs = globSync(['sandbox/**/*.ts', 'src/**/*.ts'], { cwd: root }).filter(
    (file) => !/\.test\.ts$/.test(file),
  );
  const crossings = programs.flatMap((file) => {
    const other = file.startsWith('sandbox/') ? 'src/' : 'sandbox/';
    return importsOf(file)
      .filter((path) => path.startsWith(other))
      .map((path) => `${file} imports ${path}`);
  });
  expect(crossings).toEqual([]);
});
