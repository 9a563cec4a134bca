import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/cli.ts';
import { ArchiveReader, ArchiveWriter, type Manifest } from './archive.ts';

test('an entry that cannot be stored is reported, also if it is larger than the buffers', async () => {
  const path = join(temporaryFolder(), 'large.zip');
  const writer = await ArchiveWriter.create(path);
  const checksum = await writer.add('large', Readable.from([randomBytes(1_000_000)]), { compress: false });
  await writer.finish({ format: 1 } as Manifest);
  const archive = await ArchiveReader.open(path);
  const failing = () => Promise.reject(new Error('The folder is read-only.'));
  await expect(archive.read('large', checksum, failing)).rejects.toThrow('The folder is read-only.');
  archive.close();
});

test('a path in a missing folder is refused', async () => {
  const path = join(temporaryFolder(), 'missing', 'backup.zip');
  await expect(ArchiveWriter.create(path)).rejects.toThrow(`${path} cannot be written (ENOENT). Choose a name`);
});

test('a file that cannot grow is reported and removed', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'backup.zip');
  const script = `
    import { Readable } from 'node:stream';
    import { ArchiveWriter } from ${JSON.stringify(join(import.meta.dirname, 'archive.ts'))};
    const writer = await ArchiveWriter.create(${JSON.stringify(path)});
    const content = Readable.from([Buffer.alloc(1_000_000)]);
    const added = writer.add('large', content, { compress: false }).then(() => writer.finish({ format: 1 }));
    await added.catch(async ({ constructor, message }) => {
      await writer.abort();
      process.stdout.write(constructor.name + ': ' + message);
    });`;
  const limited = ['-c', 'ulimit -f 10 && exec "$0" --input-type=module-typescript -e "$1"', process.execPath, script];
  const { stdout } = spawnSync('sh', limited, { encoding: 'utf8' });
  expect(stdout).toContain(`ConfigurationProblem: ${path} cannot be written (EFBIG). Choose a name`);
  expect(await readdir(folder)).toEqual([]);
});

test('two backups to the same path do not write to the same file', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'backup.zip');
  const [first, second] = [await ArchiveWriter.create(path), await ArchiveWriter.create(path)];
  await first.add('one', Readable.from([randomBytes(100_000)]));
  await second.abort();
  await first.finish({ format: 1 } as Manifest);
  (await ArchiveReader.open(path)).close();
  expect(await readdir(folder)).toEqual(['backup.zip']);
});
