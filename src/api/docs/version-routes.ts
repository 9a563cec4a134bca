import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { route } from '../../http/route.ts';
import { replacementsOf, timeline } from '../versions/timeline.ts';

const VersionResponse = Type.Object(
  {
    version: Type.String({ description: 'Eight digits: year, month, day' }),
    date: Type.String(),
    kind: Type.Enum(['BREAKING', 'ADDITIVE', 'INTERNAL']),
    description: Type.String(),
    touches: Type.Array(Type.String()),
    replaced: Type.Array(
      Type.Object({
        where: Type.String({ description: 'A resource or an endpoint', examples: ['Location'] }),
        before: Type.String({ examples: ['futureOpeningDate'] }),
        now: Type.String({ examples: ['openingDate'] }),
      }),
      { description: 'Fields and parameters with their replacements' },
    ),
  },
  { title: 'Version' },
);

export function versionRoutes(server: FastifyInstance): void {
  route(server, {
    method: 'GET',
    path: '/api/versions',
    summary: 'List the change record, newest entry first',
    response: Type.Object({ versions: Type.Array(VersionResponse) }),
    handler: async () => ({
      versions: timeline.toReversed().map((entry) => ({
        version: entry.version,
        date: entry.version.replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3'),
        kind: entry.kind,
        description: entry.description,
        touches: [...entry.touches],
        replaced: replacementsOf(entry),
      })),
    }),
  });
}
