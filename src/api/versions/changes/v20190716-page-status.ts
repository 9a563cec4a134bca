import { described, type VersionChange } from '../version-change.ts';

export const pageStatus: VersionChange = {
  version: '20190716',
  kind: 'BREAKING',
  description: 'The field pageStatus of directory business pages was removed. It was always PUBLISHED.',
  touches: ['GET /api/directory-business-pages'],
  shapes: [
    {
      resource: 'DirectoryBusinessPage',
      replaced: { pageStatus: 'nothing' },
      downgrade: (current) => ({ ...current, pageStatus: 'PUBLISHED' }),
      describe: (current) => described(current, [], { pageStatus: { type: 'string' } }),
    },
  ],
};
