import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const program = `
  const { receiveFile } = await import(process.argv[1]);
  const chunks = [Buffer.from('identifier,name\\n' + 'a,b\\n'.repeat(1000))];
  const received = receiveFile(chunks, { name: 'a.csv', folder: process.argv[2], maxBytes: 1_000_000 });
  process.stdout.write(await received.then(() => 'stored', ({ code }) => code));
`;

test('an upload of which only a part can be written fails', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-upload-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(import.meta.dirname, 'uploaded-file.ts');
  // The limit is less than the chunk, so the first write is incomplete.
  const limited = ['-c', 'ulimit -f 1 && exec "$@"', 'sh', process.execPath];
  const run = [...limited, '--input-type=module', '--eval', program, file, folder];
  expect(execFileSync('sh', run, { encoding: 'utf8', env: { PATH: process.env.PATH } })).toBe('EFBIG');
  expect(readdirSync(folder)).toEqual([]);
});
