import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const unprivilegedUid = 65_534;

test('fails with instructions in an unprepared checkout of another user', async () => {
  const checkout = mkdtempSync(join(tmpdir(), 'waypost-unprepared-'));
  onTestFinished(() => rmSync(checkout, { recursive: true }));
  mkdirSync(join(checkout, 'setup'));
  for (const file of ['setup/ready.mjs', 'setup/runtime.json', 'package-lock.json']) {
    copyFileSync(join(root, file), join(checkout, file));
  }
  chmodSync(checkout, 0o555);
  // Root can write to read-only folders.
  const asOtherUser = `if (process.getuid() === 0) process.setuid(${unprivilegedUid}); await import('./setup/ready.mjs')`;
  const args = ['--input-type=module', '-e', asOtherUser];
  const failure = promisify(execFile)(process.execPath, args, { cwd: checkout, env: { PATH: process.env.PATH } });
  await expect(failure).rejects.toMatchObject({
    code: 1,
    stderr:
      `waypost: The checkout is not prepared, and ${checkout}/ is not writable for this user. Run "node setup/ready.mjs" ` +
      'once as the owner of the checkout, then run this command again.\n',
  });
});
