import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { picture, svg } from '../../../../test/support/assets.ts';
import { type ReceivedFile, receiveFile } from '../../../storage/received-file.ts';
import { FileInspector } from './file-inspector.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waypost-inspector-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function received(bytes: Buffer): Promise<ReceivedFile> {
  return (await receiveFile(
    folder,
    (async function* () {
      yield bytes;
    })(),
  )) as ReceivedFile;
}

function inspectorWith(limits?: { seconds: number; mebibytes: number }): FileInspector {
  const inspector = new FileInspector(limits);
  onTestFinished(() => inspector.close());
  return inspector;
}

const named = (title: string) => ({ title, mimeType: 'application/octet-stream' });

/** Patterns nested through CSS, which the SVG validation does not count: rendering takes minutes. */
const slowSvg = () => {
  const levels = Array.from({ length: 30 }, (_, level) => level);
  const rules = levels.map((level) => `.c${level} { fill: url(#p${level}) }`).join('');
  const squares = (level: number) => `<rect class="c${level}" width="400" height="400"/>`.repeat(3);
  const patterns = levels
    .slice(1)
    .map((level) => `<pattern id="p${level}" width="1" height="1">${squares(level - 1)}</pattern>`);
  return svg(`<style>${rules}</style><defs>${patterns.join('')}</defs>${squares(29)}`);
};

test('detects the type and replaces the file with the bytes to store', async () => {
  const inspector = inspectorWith();
  const file = await received(await picture('png', 30, 20));
  const checked = await inspector.inspect(1, file, named('a.png'));
  expect(checked).toMatchObject({ kind: { mimeType: 'image/png' }, width: 30, height: 20 });
  expect(checked.thumbnail?.subarray(8, 12).toString()).toBe('WEBP');
  expect(checked.sizeBytes).toBe((await readFile(file.path)).length);
  await expect(inspector.inspect(1, await received(Buffer.from('<svg')), named('b.svg'))).rejects.toMatchObject({
    status: 'INVALID_PARAMETER',
    errors: [{ field: 'file' }],
  });
});

test('a slow file does not block other partners', async () => {
  const inspector = inspectorWith({ seconds: 300, mebibytes: 1024 });
  let isRejected = false;
  const slow = inspector.inspect(1, await received(slowSvg()), named('slow.svg')).then(
    () => {},
    () => {
      isRejected = true;
    },
  );
  await inspector.inspect(2, await received(await picture()), named('other.png'));
  expect(isRejected).toBe(false);
  inspector.close();
  await slow;
  expect(isRejected).toBe(true);
});

test('rejects a slow file and continues with the next one of the partner', async () => {
  const inspector = inspectorWith({ seconds: 5, mebibytes: 1024 });
  const slow = inspector.inspect(1, await received(slowSvg()), named('slow.svg')).catch((error) => error);
  const waiting = inspector.inspect(1, await received(await picture()), named('next.png'));
  expect(await slow).toMatchObject({
    status: 'INVALID_PARAMETER',
    errors: [{ field: 'file', message: expect.stringContaining('took longer than 5 s') }],
  });
  expect(await waiting).toMatchObject({ kind: { mimeType: 'image/png' } });
});

test('does not reuse a process that was just killed', async () => {
  const inspector = inspectorWith();
  const files = [await received(await picture()), await received(await picture())] as const;
  await inspector.inspect(1, files[0], named('first.png'));
  inspector.close();
  expect(await inspector.inspect(1, files[1], named('next.png'))).toMatchObject({ width: 12 });
});

test('rejects a file that needs too much memory', async () => {
  const inspector = inspectorWith({ seconds: 60, mebibytes: 50 });
  // Interlaced images are decoded as a whole: 147 MB.
  const canvas = { width: 7000, height: 7000, channels: 3 as const, background: '#c04010' };
  const large = await received(await sharp({ create: canvas }).png({ progressive: true, effort: 1 }).toBuffer());
  await expect(inspector.inspect(1, large, named('large.png'))).rejects.toMatchObject({ status: 'INVALID_PARAMETER' });
  expect(await inspector.inspect(1, await received(await picture()), named('small.png'))).toMatchObject({ width: 12 });
});
