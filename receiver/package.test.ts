import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPrivateKey, signedBody } from './independent-delivery.ts';

const receiver = fileURLToPath(new URL('.', import.meta.url));
const tsc = fileURLToPath(new URL('../bin/tsc', import.meta.resolve('typescript')));
const workplace = mkdtempSync(join(tmpdir(), 'waypost-receiver-'));
const built = join(workplace, 'package');
const consumer = join(workplace, 'consumer');
let packed: string[];

const run = (folder: string, command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Builds, packs and installs the package as an integrator gets it. */
beforeAll(() => {
  for (const folder of [built, consumer]) mkdirSync(folder);
  run(receiver, process.execPath, tsc, '-p', 'tsconfig.json', '--outDir', join(built, 'dist'));
  for (const file of ['package.json', 'README.md']) cpSync(join(receiver, file), join(built, file));
  const [tarball] = JSON.parse(run(built, 'npm', 'pack', '--json', '--ignore-scripts'));
  packed = tarball.files.map((file: { path: string }) => file.path);
  writeFileSync(join(consumer, 'package.json'), '{"private":true}');
  run(consumer, 'npm', 'install', '--offline', '--no-audit', '--no-fund', join(built, tarball.filename));
}, 60_000);

afterAll(() => rmSync(workplace, { recursive: true }));

test('the package holds the library, its types and its manual, and nothing else', () => {
  expect(packed).toEqual(expect.arrayContaining(['dist/receiver.js', 'dist/receiver.d.ts', 'README.md']));
  expect(packed.filter((path) => !/^(dist\/[a-z-]+(\.d\.ts|\.js)|package\.json|README\.md)$/.test(path))).toEqual([]);
});

test.each([
  ['an ES module', 'program.mjs', "import { verifyDelivery } from '@waypost/receiver';"],
  ['a CommonJS module', 'program.cjs', "const { verifyDelivery } = require('@waypost/receiver');"],
])('%s can verify a delivery', (_kind, file, load) => {
  const privateKey = newPrivateKey();
  const body = signedBody(privateKey, { id: 184467, type: 'BUSINESS_CREATED' });
  writeFileSync(
    join(consumer, file),
    `${load}
    const [body, privateKey] = process.argv.slice(2);
    console.log(verifyDelivery({ body, privateKey }).type);`,
  );
  expect(run(consumer, process.execPath, file, body, privateKey)).toBe('BUSINESS_CREATED\n');
});

test('a TypeScript program knows the fields of an event by its type', () => {
  writeFileSync(
    join(consumer, 'program.ts'),
    `import { verifyDelivery, type WaypostEvent } from '@waypost/receiver';
    export function stars(body: string): number {
      const event: WaypostEvent = verifyDelivery({ body, privateKey: 'key' });
      // @ts-expect-error: not every event has a listing
      event.listing;
      if (event.type !== 'LISTING_DATAPOINT_CHECK') return 0;
      return event.newReviewsFound + (event.updatedDataPointIds?.length ?? 0);
    }`,
  );
  run(consumer, process.execPath, tsc, '--noEmit', '--strict', '--module', 'nodenext', '--types', '', 'program.ts');
});
