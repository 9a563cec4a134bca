import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { DatabaseProblem } from '../database-problem.ts';
import { type Account, canWriteIn, serverAccount } from './account.ts';
import { copyBinaries, findRunProblem, locateBinaries } from './binaries.ts';

// Where root puts what the server's account cannot reach in the checkout, such as one below /root.
const reachableByAll = '/var/lib/waypost';
const pointerFile = 'postgres-folder';

/** Where the server's files are, and as whom it runs. */
export interface Placement {
  home: string;
  cluster: string;
  binaries: string;
  account: Account | undefined;
}

export async function placeServer(dataDir: string, log: Pick<Logger, 'info'>): Promise<Placement> {
  const moved = await readFile(join(dataDir, pointerFile), 'utf8').catch(() => undefined);
  const usual = moved?.trim() ?? join(dataDir, 'postgres');
  const account = await serverAccount(join(usual, 'cluster'));
  if (account) await letPass(account, dataDir);
  await makeHome(usual, account);
  const reachable = !account || (await canWriteIn(account, usual));
  const home = reachable ? usual : await moveHome(usual, dataDir, account);
  if (!reachable) log.info({ event: 'database.placed', folder: home }, `The database is kept in ${home}`);
  return { home, cluster: join(home, 'cluster'), binaries: await reachableBinaries(account, log), account };
}

/** Another place for a database that has not been created yet. */
async function moveHome(usual: string, dataDir: string, account: Account): Promise<string> {
  await rmdir(usual).catch(() => {
    throw new DatabaseProblem(
      `The database in ${usual} cannot be reached by the account it belongs to: let that account enter every folder ` +
        'above it, or set WAYPOST_DATA_DIR to another folder.',
    );
  });
  await openToAll(reachableByAll);
  // The name is kept in the data folder alone: whoever removes that begins with a new database.
  const home = join(reachableByAll, randomBytes(8).toString('hex'));
  await makeHome(home, account);
  await writeFile(join(dataDir, pointerFile), `${home}\n`);
  return home;
}

/** The account may pass through a private data folder to its own part of it, and sees nothing else there. */
async function letPass(account: Account, dataDir: string): Promise<void> {
  const { mode, uid } = await stat(dataDir);
  if ((mode & 0o077) !== 0) return;
  await chown(dataDir, uid, account.gid);
  await chmod(dataDir, 0o710);
}

async function makeHome(home: string, account: Account | undefined): Promise<void> {
  await mkdir(home, { recursive: true });
  await chmod(home, 0o700);
  if (account) await chown(home, account.uid, account.gid);
}

async function openToAll(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  // Not left to mkdir, which would follow a strict umask.
  await chmod(folder, 0o755);
}

async function reachableBinaries(account: Account | undefined, log: Pick<Logger, 'info'>): Promise<string> {
  const installed = await locateBinaries();
  const problem = await findRunProblem(installed, account);
  if (!problem) return installed;
  if (account && !(await findRunProblem(installed, undefined))) {
    await openToAll(reachableByAll);
    const copy = await copyBinaries(installed, reachableByAll, log);
    if (!(await findRunProblem(copy, account))) return copy;
  }
  throw new DatabaseProblem(
    `The PostgreSQL that npm installed does not run on this machine (${problem}). ` +
      'Set DATABASE_URL to a PostgreSQL server.',
  );
}
