import type { ResponseOf } from '../../api/call.ts';

export type Version = ResponseOf<'GET /api/versions'>['versions'][number];
export type Use = ResponseOf<'GET /api/deprecated-use'>['uses'][number];

/** Breaking changes between two versions, oldest first. */
export function breakingBetween(versions: readonly Version[], one: string, other: string): Version[] {
  const [from, to] = one < other ? [one, other] : [other, one];
  return versions
    .filter(({ kind, version }) => kind === 'BREAKING' && version > from && version <= to)
    .sort((a, b) => a.version.localeCompare(b.version));
}

export const usesOf = (uses: readonly Use[], { version }: Version): Use[] =>
  uses.filter(({ replacedBy }) => replacedBy === version);

export const countOf = (uses: readonly Use[]): number => uses.reduce((sum, { count }) => sum + count, 0);
