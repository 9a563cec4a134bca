import type { VersionChange } from '../version-change.ts';

export const internal20240220: VersionChange = {
  version: '20240220',
  kind: 'INTERNAL',
  description: 'Internal changes only, not visible to clients.',
  touches: [],
};
