import type { VersionChange } from '../version-change.ts';

export const socialAi: VersionChange = {
  version: '20251118',
  kind: 'ADDITIVE',
  description: 'Texts for social posts can be generated. Nothing that was there changes.',
  touches: ['POST /api/social-ai/generate-content'],
};
