import type { VersionChange } from '../version-change.ts';

export const changesSince2024: readonly VersionChange[] = [
  {
    version: '20240220',
    kind: 'INTERNAL',
    description: 'Internal changes only, not visible to clients.',
    touches: [],
  },
  {
    version: '20250729',
    kind: 'ADDITIVE',
    description: 'Added the near-me check: categories and reports.',
    touches: ['/api/near-me-check/categories', '/api/report'],
  },
  {
    version: '20251118',
    kind: 'ADDITIVE',
    description: 'Added text generation for social posts.',
    touches: ['POST /api/social-ai/generate-content'],
  },
  {
    version: '20260325',
    kind: 'ADDITIVE',
    description: 'Added the homepage endpoints: key metrics, ranks, scores, tasks, suggestions.',
    touches: ['/api/home/*'],
  },
  {
    version: '20260408',
    kind: 'ADDITIVE',
    description: 'Added digital asset management and social templates.',
    touches: ['/api/dam/*', '/api/social-templates'],
  },
  {
    version: '20260713',
    kind: 'ADDITIVE',
    description: 'Added the dashboard endpoints: customer feedback, insights, listing health, completeness, exports.',
    touches: ['/api/dashboard/*'],
  },
];
