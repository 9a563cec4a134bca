import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const unprivilegedUid = 65_534;
// Root can write to read-only folders.
const asOtherUser = `if (process.getuid() === 0) process.setuid(${unprivilegedUid});`;
const asOldNode = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } });`;

/** A checkout that is not prepared. `npm` is the program of npm in it. */
function createCheckout() {
  const checkout = mkdtempSync(join(tmpdir(), 'waypost-unprepared-'));
  onTestFinished(() => rmSync(checkout, { recursive: true }));
  mkdirSync(join(checkout, 'setup'));
  for (const file of ['setup/ready.mjs', 'setup/runtime.json', 'package-lock.json']) {
    copyFileSync(join(root, file), join(checkout, file));
  }
  const npm = join(checkout, 'npm-cli.js');
  /** Runs setup/ready.mjs after a script. */
  const prepare = (script = '') =>
    promisify(execFile)(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `${script} await import('./setup/ready.mjs')`,
        '--',
        '--as-found',
        '--without-console',
      ],
      { cwd: checkout, env: { PATH: process.env.PATH, npm_execpath: npm } },
    );
  return { checkout, npm, prepare };
}

test('fails with instructions in an unprepared checkout of another user', async () => {
  const { checkout, prepare } = createCheckout();
  chmodSync(checkout, 0o555);
  await expect(prepare(asOtherUser)).rejects.toMatchObject({
    code: 1,
    stderr:
      `waypost: The checkout is not prepared, and ${checkout}/ is not writable for this user. Run "node setup/ready.mjs" ` +
      'once as the owner of the checkout, then run this command again.\n',
  });
});

test('repeats an installation that failed, and keeps one of another tool', async () => {
  const { checkout, npm, prepare } = createCheckout();
  const modules = join(checkout, 'node_modules');
  const installs = (name: string, code: number) =>
    writeFileSync(
      npm,
      `require('fs').mkdirSync(${JSON.stringify(join(modules, name))}, { recursive: true }); process.exit(${code})`,
    );
  mkdirSync(join(modules, 'foreign'), { recursive: true });
  installs('first', 1);
  await prepare();
  expect(readdirSync(modules)).toEqual(['foreign']);

  rmSync(modules, { recursive: true });
  await expect(prepare()).rejects.toMatchObject({ stderr: expect.stringContaining('"npm install" failed.') });
  installs('second', 0);
  await prepare();
  expect(readdirSync(modules).sort()).toEqual(['.waypost-ready', 'second']);

  // An update.
  writeFileSync(join(checkout, 'package-lock.json'), '{}');
  installs('third', 1);
  await expect(prepare()).rejects.toMatchObject({ code: 1 });
  installs('fourth', 0);
  await prepare();
  expect(readdirSync(modules).sort()).toEqual(['.waypost-ready', 'fourth']);
});

test('downloads Node.js once for each platform', async () => {
  const { checkout, npm, prepare } = createCheckout();
  const runtime = join(checkout, '.runtime');
  const downloads = join(checkout, 'downloads');
  const { version } = JSON.parse(readFileSync(join(root, 'setup/runtime.json'), 'utf8'));
  const wanted = `${version} ${process.platform}-${process.arch}`;
  mkdirSync(join(checkout, 'node_modules'));
  const bin = join(runtime, 'node_modules/node/bin');
  writeFileSync(
    npm,
    `const { appendFileSync, mkdirSync, writeFileSync } = require('fs');
     appendFileSync(${JSON.stringify(downloads)}, '.');
     mkdirSync(${JSON.stringify(bin)}, { recursive: true });
     writeFileSync(${JSON.stringify(join(bin, 'node'))}, '#!/bin/sh\\necho ${wanted}\\n', { mode: 0o755 })`,
  );
  await prepare(asOldNode);
  expect(readFileSync(join(runtime, 'ready'), 'utf8')).toBe(wanted);
  chmodSync(runtime, 0o555);
  chmodSync(checkout, 0o755);
  await prepare(asOldNode + asOtherUser);
  expect(readFileSync(downloads, 'utf8')).toBe('.');
  chmodSync(runtime, 0o755);
  // Of a checkout that was copied from a computer with another processor.
  writeFileSync(join(runtime, 'ready'), `${version} other-cpu`);
  writeFileSync(join(bin, 'node'), `#!/bin/sh\necho ${version} other-cpu\n`);
  await prepare(asOldNode);
  expect(readFileSync(downloads, 'utf8')).toBe('..');
});
