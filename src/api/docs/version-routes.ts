import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { route } from '../../http/route.ts';
import { timeline } from '../versions/timeline.ts';

const VersionAnswer = Type.Object(
  {
    version: Type.String({ description: 'Eight digits: year, month, day' }),
    date: Type.String(),
    kind: Type.Enum(['BREAKING', 'ADDITIVE', 'INTERNAL']),
    description: Type.String(),
    touches: Type.Array(Type.String()),
  },
  { title: 'Version' },
);

export function versionRoutes(server: FastifyInstance): void {
  route(server, {
    method: 'GET',
    path: '/api/versions',
    summary: 'The change record, the newest entry first',
    response: Type.Object({ versions: Type.Array(VersionAnswer) }),
    handler: async () => ({
      versions: timeline.toReversed().map(({ version, kind, description, touches }) => ({
        version,
        date: version.replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3'),
        kind,
        description,
        touches: [...touches],
      })),
    }),
  });
}
