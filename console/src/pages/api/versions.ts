import type { ResponseOf } from '../../api/call.ts';

export type Version = ResponseOf<'GET /api/versions'>['versions'][number];
export type DeprecatedUseEntry = ResponseOf<'GET /api/deprecated-use'>['uses'][number];

export const kindColors = { BREAKING: 'orange', ADDITIVE: 'teal', INTERNAL: 'gray' } as const;

/** Breaking changes between two versions in either order, oldest first. */
export function breakingChangesBetween(versions: readonly Version[], versionA: string, versionB: string): Version[] {
  const [from, to] = versionA < versionB ? [versionA, versionB] : [versionB, versionA];
  return versions
    .filter(({ kind, version }) => kind === 'BREAKING' && version > from && version <= to)
    .sort((a, b) => a.version.localeCompare(b.version));
}

export const usesReplacedBy = (uses: readonly DeprecatedUseEntry[], { version }: Version): DeprecatedUseEntry[] =>
  uses.filter(({ replacedBy }) => replacedBy === version);

export const totalUses = (uses: readonly DeprecatedUseEntry[]): number =>
  uses.reduce((sum, { count }) => sum + count, 0);
