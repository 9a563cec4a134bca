import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { DatabaseProblem } from '../database-problem.ts';
import { type Account, canWriteIn, serverAccount } from './account.ts';
import { copyBinaries, findRunProblem, locateBinaries } from './binaries.ts';

// Used by root if the server account cannot access the data folder, for example below /root.
const sharedFolder = '/var/lib/waypost';
const pointerFile = 'postgres-folder';

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
  const account = await serverAccount(join(defaultHome, 'cluster'));
  if (account) await allowTraversal(account, dataDir);
  await createHome(defaultHome, account);
  const reachable = !account || (await canWriteIn(account, defaultHome));
  const home = reachable ? defaultHome : await moveHome(defaultHome, dataDir, account);
  if (!reachable) log.info({ event: 'database.placed', folder: home }, `The database is stored in ${home}`);
  return { home, cluster: join(home, 'cluster'), binaries: await reachableBinaries(account, log), account };
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
