import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '../..');
const migrations = 'src/database/migrations';

function git(...args: string[]): string {
  return execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** Names and hashes of the migrations of a commit. */
const migrationsOf = (commit: string) => git('ls-tree', '-r', commit, migrations).split('\n');

/** The last commit that can be migrated: it has fewer migrations, and they have not been changed since. */
function lastBeforeNewMigrations(): string | undefined {
  const current = new Set(migrationsOf('HEAD'));
  const parents = git('log', '--format=%H^', '--', migrations).split('\n');
  return parents.find((commit) => {
    const earlier = migrationsOf(commit);
    return earlier.length < current.size && earlier.every((migration) => current.has(migration));
  });
}

/**
 * The commit of the last release before this version. Before the first release, the commit before the newest migrations.
 * Undefined without git or its history, as in an archive or a shallow clone.
 */
export const previousRelease: string | undefined = (() => {
  try {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const [tag] = git('tag', '--list', 'v*', '--sort=-version:refname', '--merged')
      .split('\n')
      .filter((name) => name !== '' && name !== `v${version}`);
    return git('rev-parse', '--verify', tag ?? lastBeforeNewMigrations() ?? '');
  } catch {
    return undefined;
  }
})();

/** Unpacks the source of a commit, with the installed dependencies. Returns the path of its program. */
export function checkOut(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-previous-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const archive = join(folder, 'source.tar');
  git('archive', '--output', archive, commit, 'src', 'sandbox', 'receiver', 'package.json');
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'src/main.ts');
}
