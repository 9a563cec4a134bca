import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { DatabaseProblem } from '../database-problem.ts';

const run = promisify(execFile);

/** The user that the server's processes run as. */
export interface Account {
  uid: number;
  gid: number;
}

/**
 * PostgreSQL refuses to run as root, so root lends it another account. A database keeps the account it was
 * created under. Undefined: everything runs as the present user.
 */
export async function serverAccount(cluster: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const existing = await stat(cluster).catch(() => undefined);
  if (existing && existing.uid !== 0) return { uid: existing.uid, gid: existing.gid };
  for (const name of ['postgres', 'nobody']) {
    const account = await lookUp(name);
    if (account) return account;
  }
  throw new DatabaseProblem(
    'PostgreSQL does not run as root, and there is neither an account "postgres" nor "nobody" to run it as. ' +
      'Start Waypost as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
  );
}

/** A real try, because modes alone do not tell: there are access lists and mounts without permission to execute. */
export function canWriteIn(account: Account, folder: string): Promise<boolean> {
  const attempt = run('/bin/sh', ['-c', 'cd "$1" && test -w .', 'sh', folder], { ...account, cwd: '/' });
  return attempt.then(
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
