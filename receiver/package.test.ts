import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newPrivateKey, newSecret, signedBody, signedHeaders } from './independent-delivery.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = fileURLToPath(new URL('../bin/tsc', import.meta.resolve('typescript')));
const workplace = mkdtempSync(join(tmpdir(), 'waypost-receiver-'));
const consumer = join(workplace, 'consumer');
const installed = join(consumer, 'node_modules/@waypost/receiver');
let packed: string[];

function run(folder: string, command: string, ...args: string[]): string {
  try {
    return execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${basename(command)} ${args.join(' ')}\n${stdout}${stderr}`);
  }
}

/** Packs a copy of the package, which builds it, and installs the tarball without a registry. */
beforeAll(() => {
  const checkout = join(workplace, 'checkout');
  mkdirSync(consumer);
  cpSync(join(root, 'receiver'), join(checkout, 'receiver'), { recursive: true });
  cpSync(join(root, 'tsconfig.json'), join(checkout, 'tsconfig.json'));
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  run(join(checkout, 'receiver'), 'npm', 'pack', '--pack-destination', workplace);
  const tarball = readdirSync(workplace).find((name) => name.endsWith('.tgz')) as string;
  writeFileSync(join(consumer, 'package.json'), '{"private":true}');
  run(consumer, 'npm', 'install', '--offline', '--no-audit', '--no-fund', join(workplace, tarball));
  packed = (readdirSync(installed, { recursive: true, withFileTypes: true }) ?? [])
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1));
}, 120_000);

afterAll(() => rmSync(workplace, { recursive: true }));

describe('the package', () => {
  test('contains only both builds with types, the README, the license and the examples', () => {
    const expected = ['LICENSE', 'README.md', 'package.json', 'dist/commonjs/package.json'];
    for (const build of ['esm', 'commonjs']) expected.push(`dist/${build}/receiver.js`, `dist/${build}/receiver.d.ts`);
    for (const name of readdirSync(join(root, 'receiver/examples'))) expected.push(`examples/${name}`);
    expect(packed).toEqual(expect.arrayContaining(expected));
    const isBuilt = (path: string) => /^dist\/(esm|commonjs)\/[a-z-]+(\.d\.ts|\.js)$/.test(path);
    expect(packed.filter((path) => !isBuilt(path)).sort()).toEqual(expected.filter((path) => !isBuilt(path)).sort());
  });

  test('has the license of the repository', () => {
    expect(readFileSync(join(installed, 'LICENSE'), 'utf8')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'));
  });

  test('imports only its own files and node:crypto', () => {
    for (const file of packed.filter((path) => path.startsWith('dist/'))) {
      const imports = readFileSync(join(installed, file), 'utf8').matchAll(/(?:from |require\()['"]([^'"]+)['"]/g);
      for (const [, name = ''] of imports) {
        const own = name.startsWith('./') && packed.includes(join(file, '..', name));
        expect(own || name === 'node:crypto', `${file}: ${name}`).toBe(true);
      }
    }
  });

  test('has a README that installs the tarball, not a registry package', () => {
    const manual = readFileSync(join(installed, 'README.md'), 'utf8');
    const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    const lines = manual.split('\n').filter((line) => /^npm (install|i|add) /.test(line));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`waypost-receiver-${version}.tgz`);
  });
});

test.each([
  ['an ES module', 'program.mjs', "import { verifyDelivery, VerificationError } from '@waypost/receiver';"],
  ['a CommonJS module', 'program.cjs', "const { verifyDelivery, VerificationError } = require('@waypost/receiver');"],
])('%s verifies deliveries', (_kind, file, load) => {
  const [privateKey, secret] = [newPrivateKey(), newSecret()];
  const body = signedBody(privateKey, { id: 184467, type: 'BUSINESS_CREATED' });
  writeFileSync(
    join(consumer, file),
    `${load}
    const [body, privateKey, secret, headers] = process.argv.slice(2);
    const verify = (body) => verifyDelivery({ body, privateKey, secret, headers: JSON.parse(headers) });
    console.log(verify(body).type);
    try {
      verify(body.replace('184467', '184468'));
    } catch (error) {
      console.log(error instanceof VerificationError, error.code);
    }`,
  );
  // Without require(esm), which Node 18 does not have.
  const headers = JSON.stringify(signedHeaders([secret], body));
  const options = ['--no-experimental-require-module', file, body, privateKey, secret, headers];
  expect(run(consumer, process.execPath, ...options)).toBe('BUSINESS_CREATED\ntrue header-signature-wrong\n');
});

const readEvent = `
  export function stars(body: string): number {
    const event: WaypostEvent = verifyDelivery({ body, privateKey: 'key' });
    // @ts-expect-error: not every event has a listing
    event.listing;
    if (event.type !== 'LISTING_DATAPOINT_CHECK') return 0;
    return event.newReviewsFound + (event.updatedDataPointIds?.length ?? 0);
  }
  // @ts-expect-error: the types are not "any"
  verifyDelivery(1);`;

test.each([
  ['an ES module', 'types.mts', "import { verifyDelivery, type WaypostEvent } from '@waypost/receiver';"],
  ['a CommonJS module', 'types.cts', "import { verifyDelivery, type WaypostEvent } from '@waypost/receiver';"],
  [
    'a CommonJS module with require',
    'require.cts',
    "import receiver = require('@waypost/receiver');\nimport { verifyDelivery } from '@waypost/receiver';\ntype WaypostEvent = receiver.WaypostEvent;",
  ],
])('%s in TypeScript knows the fields of an event by its type', (_kind, file, load) => {
  writeFileSync(join(consumer, file), `${load}${readEvent}`);
  for (const module of ['node16', 'nodenext']) {
    // With the declarations checked, and without the types of Node.js.
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022', '--types', ''];
    run(consumer, process.execPath, tsc, ...options, '--module', module, file);
  }
});
