import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/cli.ts';
import { runKeyCommand, textOfKeys } from './key-source.ts';

const keys = [randomBytes(32), randomBytes(32)];
const [key = ''] = textOfKeys(keys).split('\n');

/** A program in JavaScript. */
const program = (script: string) => [process.execPath, '-e', script] as const;

/** The message of the refusal, which never contains the key. */
async function refusal(command: Parameters<typeof runKeyCommand>[0], timeoutMs?: number): Promise<string> {
  const message = await runKeyCommand(command, timeoutMs).then(
    () => 'accepted',
    (error: Error) => error.message,
  );
  expect(message).toMatch(/^WAYPOST_MASTER_KEY_COMMAND: /);
  expect(message).not.toContain(key.slice(0, 10));
  return message;
}

test('reads one key per line', async () => {
  const script = `process.stdout.write(${JSON.stringify(textOfKeys(keys))})`;
  expect(await runKeyCommand(program(script))).toEqual(keys);
  expect(await runKeyCommand(['echo', key])).toEqual([keys[0]]);
});

test('runs without a shell', async () => {
  expect(await refusal(['echo', `$(echo ${key})`, '&&', 'true'])).toContain('printed an invalid key');
});

test('names the exit code and the error, without the key', async () => {
  const script = `console.log('${key}'); console.error('permission denied for ${key}'); process.exitCode = 7`;
  const message = await refusal(program(script));
  expect(message).toContain('failed (exit code 7). It printed: permission denied for …');
});

test('names the signal that ended the program', async () => {
  expect(await refusal(program("process.kill(process.pid, 'SIGTERM')"))).toContain('failed (SIGTERM).');
});

test.each([
  ['a key that is too short', `console.log('${key.slice(0, 40)}')`, 'printed an invalid key: print 32 bytes in base64'],
  ['a text beside the key', `console.log('key: ${key}')`, 'printed an invalid key: print 32 bytes in base64'],
  ['nothing', '', 'printed nothing: print 32 bytes in base64'],
  [
    'too much, without an end',
    `for (;;) process.stdout.write('${key} '.repeat(1000))`,
    'printed more than 4096 bytes. Print only the key.',
  ],
])('refuses a program that prints %s', async (_, script, sentence) => {
  expect(await refusal(program(script))).toContain(sentence);
});

test('stops a program that hangs, with the processes that it has started', async () => {
  const file = join(temporaryFolder(), 'pid');
  const script = `sleep 1000 & echo $! > ${file}; wait`;
  expect(await refusal(['sh', '-c', script], 2000)).toContain('did not end within 2 s and was stopped.');
  const started = Number(readFileSync(file, 'utf8'));
  const isRunning = () => {
    // A process without a parent that waits for it stays in the table as a zombie.
    const state = existsSync(`/proc/${started}/stat`) && readFileSync(`/proc/${started}/stat`, 'utf8').split(' ')[2];
    return state !== false && state !== 'Z';
  };
  await expect.poll(isRunning).toBe(false);
});

test('refuses a program that cannot be started', async () => {
  expect(await refusal(['/does/not/exist'])).toContain('/does/not/exist cannot be started (ENOENT)');
  expect(await refusal(['/dev/null'])).toContain('/dev/null cannot be started (EACCES)');
});
