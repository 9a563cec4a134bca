import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Database } from '../../../database/connection.ts';
import { numberedPageFields, numberedPageQuery } from '../../../http/pagination.ts';
import { readScope, scopeQuery } from '../../locations/index.ts';
import { type FindingKind, locationsOf } from './open-findings.ts';
import { afterField, upToDateField } from './paging.ts';
import { readRoute } from './read-route.ts';
import { catchUp } from './refresh-homepage.ts';

export const includeDismissed = {
  includeDismissed: Type.Boolean({ default: false, description: 'Include dismissed ones' }),
};
export const dismissedUntil = {
  dismissedUntil: Type.Optional(Type.String({ description: 'Date on which it is shown again, if dismissed' })),
};

interface FindingLocations {
  path: `/api/home/${string}`;
  summary: string;
  kind: FindingKind;
  /** Description of the type parameter. */
  description: string;
}

/** Lists the locations of a task or suggestion. */
export function findingLocationsRoute(
  server: FastifyInstance,
  database: Database,
  { path, summary, kind, description }: FindingLocations,
): void {
  const FindingType = Type.Enum([...kind.types], { description });
  readRoute(server, {
    path,
    summary,
    fields: { type: FindingType, ...scopeQuery, ...numberedPageQuery, ...afterField, ...includeDismissed },
    response: Type.Object({
      type: FindingType,
      ...numberedPageFields('locationIds', Type.Integer({ examples: [17] })),
      ...dismissedUntil,
      ...upToDateField,
    }),
    read: async (caller, given) => {
      const now = new Date();
      const { type, page, size } = given;
      const scope = await readScope(database.pool, caller, given);
      const upToDate = await catchUp(database, caller.partnerId, now);
      const found = await locationsOf(database.pool, kind, type, { ...given, caller, scope, now }, given);
      return { type, page, size, ...found, upToDate };
    },
  });
}
