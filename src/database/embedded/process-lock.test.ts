import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { ProcessLock } from './process-lock.ts';

const program = `
  const { ProcessLock } = await import(process.argv[1]);
  const locks = ['exclusive', 'shared'].map((way) => {
    const lock = ProcessLock[way](process.argv[2]);
    lock?.release();
    return lock !== undefined;
  });
  process.stdout.write(JSON.stringify(locks));
`;

/** Whether a process that cannot write to the disk gets the lock, alone and with others. */
function takenWithoutRoom(path: string): boolean[] {
  const lockFile = fileURLToPath(new URL('./process-lock.ts', import.meta.url));
  const limited = ['-c', 'ulimit -f 0 && exec "$@"', 'sh', process.execPath];
  const run = [...limited, '--input-type=module', '--eval', program, lockFile, path];
  return JSON.parse(execFileSync('sh', run, { encoding: 'utf8', env: { PATH: process.env.PATH } }));
}

test('can be acquired on a full disk, by one process only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'some.lock');
  expect(takenWithoutRoom(path)).toEqual([true, true]);
  const held = ProcessLock.exclusive(path);
  expect(takenWithoutRoom(path)).toEqual([false, false]);
  held?.release();
  const shared = ProcessLock.shared(path);
  expect(takenWithoutRoom(path)).toEqual([false, true]);
  shared?.release();
});
