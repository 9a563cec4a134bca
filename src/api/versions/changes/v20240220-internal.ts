import type { VersionChange } from '../version-change.ts';

export const internal20240220: VersionChange = {
  version: '20240220',
  kind: 'INTERNAL',
  description: 'An internal change, without anything that a client could see.',
  touches: [],
};
