import type { VersionChange } from './version-change.ts';

/** What took the place of what in an entry of the change record, in words. */
export interface Replacement {
  /** A kind of record or a call. */
  readonly where: string;
  readonly before: string;
  readonly now: string;
}

export function replacementsOf({ shapes = [], calls = [] }: VersionChange): Replacement[] {
  return [...shapes, ...calls].flatMap((change) => {
    const where = 'call' in change ? change.call : change.resource;
    const reshaped = 'resource' in change ? Object.entries(change.reshaped ?? {}) : [];
    return [
      ...Object.entries(change.replaced ?? {}).map(([before, now]) => ({ where, before, now })),
      ...reshaped.map(([field, { before, now }]) => ({ where, before: `${field} ${before}`, now })),
    ];
  });
}
