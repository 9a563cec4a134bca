import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Database } from '../../../database/connection.ts';
import { numberedPageFields, numberedPageQuery } from '../../../http/numbered-page.ts';
import { readScope, scopeQuery } from '../../locations/index.ts';
import { getAndPost } from './get-and-post.ts';
import { type FindingKind, locationsOf } from './open-findings.ts';
import { afterField, upToDateField } from './paging.ts';
import { bringUpToDate } from './refresh-homepage.ts';

export const includeDismissed = {
  includeDismissed: Type.Boolean({ default: false, description: 'With what the caller has dismissed' }),
};
export const dismissedUntil = {
  dismissedUntil: Type.Optional(Type.String({ description: 'The day on which it is back, when it is dismissed' })),
};

interface FoundLocations {
  path: `/api/home/${string}`;
  summary: string;
  kind: FindingKind;
  /** What a type is one of, such as the task. */
  description: string;
}

/** The ids behind a count of tasks or suggestions. */
export function foundLocations(
  server: FastifyInstance,
  database: Database,
  { path, summary, kind, description }: FoundLocations,
): void {
  const FindingType = Type.Enum([...kind.types], { description });
  getAndPost(server, {
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
      const upToDate = await bringUpToDate(database, caller.partnerId, now);
      const found = await locationsOf(database.pool, kind, type, { ...given, caller, scope, now }, given);
      return { type, page, size, ...found, upToDate };
    },
  });
}
