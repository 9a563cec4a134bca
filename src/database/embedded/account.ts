import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { DatabaseProblem } from '../database-problem.ts';

const run = promisify(execFile);

/** The operating system user of the server. */
export interface Account {
  uid: number;
  gid: number;
}

/** PostgreSQL refuses to run as root, so root uses another account. Undefined: the current user. */
export async function serverAccount(cluster: string): Promise<Account | undefined> {
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
export function canWriteIn(account: Account, folder: string): Promise<boolean> {
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
