import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const program = join(import.meta.dirname, '../setup/in-parallel.mjs');

/** Runs the scripts in a new folder. */
async function runAll(scripts: Record<string, string>) {
  const cwd = mkdtempSync(join(tmpdir(), 'waypost-in-parallel-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ scripts }));
  return promisify(execFile)(process.execPath, [program, ...Object.keys(scripts)], { cwd }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  );
}

/** Ends when the other script has started too. */
const together = (own: string, other: string) => `touch ${own}; until [ -e ${other} ]; do sleep 0.05; done`;

test('runs npm scripts at the same time and prints the output of each', { timeout: 60_000 }, async () => {
  const { code, stdout, stderr } = await runAll({
    first: `echo from first; ${together('a', 'b')}`,
    second: `${together('b', 'a')}; echo from second >&2`,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^first: passed\nfrom first$/m);
  expect(stdout).toMatch(/^second: passed\nfrom second$/m);
});

test('fails if one script fails, with its output, after all have ended', { timeout: 60_000 }, async () => {
  const { code, stdout, stderr } = await runAll({ broken: 'echo a mistake; exit 3', whole: 'echo fine' });
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'Failed: npm run broken\n' });
  expect(stdout).toMatch(/^broken: failed with exit code 3\na mistake$/m);
  expect(stdout).toMatch(/^whole: passed\nfine$/m);
});
