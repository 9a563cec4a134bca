import type { VersionChange } from '../version-change.ts';

export const socialAi: VersionChange = {
  version: '20251118',
  kind: 'ADDITIVE',
  description: 'Added text generation for social posts.',
  touches: ['POST /api/social-ai/generate-content'],
};
