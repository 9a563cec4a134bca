import type { VersionChange } from './version-change.ts';

/** A field or parameter and its replacement, as text. */
export interface Replacement {
  /** A resource or an endpoint. */
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
