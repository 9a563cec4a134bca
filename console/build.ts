import { hash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  globSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';

const folder = import.meta.dirname;
const root = join(folder, '..');
const built = join(folder, 'dist');
const stamp = 'built-from';
const compressedKinds = /\.(js|css|svg|html)$/;

/** Builds the console unless the existing build has the same sources. Returns whether it built. */
export async function buildConsole(say: (text: string) => void = () => {}): Promise<boolean> {
  const sources = sourcesHash();
  if (builtFrom(built) === sources) return false;
  mustWrite();
  say('Building the console (a few seconds)');
  // Builds in a separate folder and renames it: other processes may read or build at the same time.
  const draft = join(folder, `dist.${process.pid}`);
  const aside = `${draft}.old`;
  // Tests use the production build.
  const environment = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    const { build } = await import('vite');
    await build({
      configFile: join(folder, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: draft, emptyOutDir: true },
    });
    await compressAll(draft);
    writeFileSync(join(draft, stamp), sources);
    if (existsSync(built)) renameSync(built, aside);
    renameSync(draft, built);
  } catch (error) {
    // Another process built the same sources first.
    if (builtFrom(built) !== sources) throw error;
  } finally {
    if (environment === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = environment;
    for (const left of [draft, aside]) rmSync(left, { recursive: true, force: true });
  }
  removeBrokenOff();
  return true;
}

function mustWrite(): void {
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    throw new CannotBuild(
      `The console is not built from these sources, and this user may not write in ${folder}: run ` +
        '"node setup/ready.mjs" once as the user who owns the checkout, or set WAYPOST_CONSOLE to off.',
    );
  }
}

class CannotBuild extends Error {}

/** Removes folders of builds whose process was killed; the folder name has the process id. */
function removeBrokenOff(): void {
  for (const name of readdirSync(folder)) {
    const pid = /^dist\.(\d+)(\.old)?$/.exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function builtFrom(place: string): string | undefined {
  const path = join(place, stamp);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function sourcesHash(): string {
  const paths = globSync(
    ['console/{*,src/**/*,public/**/*}', 'receiver/*.ts', 'src/values/calendar.ts', 'package-lock.json'],
    {
      cwd: root,
      withFileTypes: true,
    },
  )
    .filter((entry) => entry.isFile() && !/\.(test\.tsx?|md)$|^api-types\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return hash(
    'sha256',
    paths.map((path) => `${path.slice(root.length)} ${hash('sha256', readFileSync(path))}`).join('\n'),
  );
}

/** Compressed at build time, not for each request. */
async function compressAll(place: string): Promise<void> {
  const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)];
  const names = readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((name) => compressedKinds.test(name));
  await Promise.all(
    names.map(async (name) => {
      const path = join(place, name);
      const bytes = readFileSync(path);
      const params = { [zlib.BROTLI_PARAM_QUALITY]: 10, [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length };
      writeFileSync(`${path}.br`, await toBrotli(bytes, { params }));
      writeFileSync(`${path}.gz`, await toGzip(bytes, { level: 9 }));
    }),
  );
}

if (import.meta.main) {
  await buildConsole((text) => console.log(`waypost: ${text}`)).catch((error) => {
    if (!(error instanceof CannotBuild)) throw error;
    console.error(`waypost: ${error.message}`);
    process.exitCode = 1;
  });
}
