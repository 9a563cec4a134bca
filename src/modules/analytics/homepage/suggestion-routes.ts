import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import type { Services } from '../../../http/services.ts';
import { dayOf, readSpan } from '../../../values/span.ts';
import { readScope, type Scope, scopeQuery } from '../../locations/index.ts';
import { responseTimes } from '../dashboard/feedback/feedback-figures.ts';
import { dismissedUntil, findingLocationsRoute, includeDismissed } from './finding-locations.ts';
import { type FindingKind, openTypes } from './open-findings.ts';
import { upToDateField } from './paging.ts';
import { countPublishedPosts } from './published-posts-store.ts';
import { readRoute } from './read-route.ts';
import { catchUp } from './refresh-homepage.ts';
import { countedBy, type SuggestionEvidence, suggestionDefinitions, suggestionTypes } from './suggestion-types.ts';
import { categories, priorities } from './task-types.ts';

const suggestions: FindingKind = { types: suggestionTypes, findingOf: countedBy };
const SuggestionType = Type.Enum([...suggestionTypes], { description: 'Type of suggestion' });

export function suggestionRoutes(server: FastifyInstance, { database }: Services): void {
  readRoute(server, {
    path: '/api/home/suggestions',
    summary: 'List suggestions with the number of locations',
    fields: { ...scopeQuery, ...includeDismissed },
    response: Type.Object({
      suggestions: Type.Array(
        Type.Object({
          type: SuggestionType,
          category: Type.Enum([...categories]),
          priority: Type.Enum([...priorities]),
          title: Type.String(),
          whatToDo: Type.String(),
          directoryType: Type.Optional(Type.String({ description: 'Directory, for suggestions about one directory' })),
          locationsCount: Type.Integer({ examples: [12] }),
          ...dismissedUntil,
        }),
      ),
      ...upToDateField,
    }),
    read: async (caller, given) => {
      const now = new Date();
      const scope = await readScope(database.pool, caller, given);
      const upToDate = await catchUp(database, caller.partnerId, now);
      const [{ open, counts }, measured] = await Promise.all([
        openTypes(database.pool, suggestions, { ...given, caller, scope, now }),
        measure(database.pool, scope, now),
      ]);
      const evidence: SuggestionEvidence = { ...measured, countOf: (finding) => counts.get(finding) ?? 0 };
      return {
        suggestions: open.flatMap(({ type, ...rest }) => {
          const definition = suggestionDefinitions[type];
          if (!definition || definition.isShown?.(evidence) === false) return [];
          const { category, priority, title, whatToDo, directoryType } = definition;
          return [{ type, category, priority, title, whatToDo, ...(directoryType && { directoryType }), ...rest }];
        }),
        upToDate,
      };
    },
  });

  findingLocationsRoute(server, database, {
    path: '/api/home/suggestions/locations',
    summary: 'List the locations of a suggestion, also if the suggestion is not shown',
    kind: suggestions,
    description: 'Type of suggestion',
  });
}

/** Response time of the last 30 days, and posts of the current month. */
async function measure(sql: Sql, scope: Scope, now: Date): Promise<Omit<SuggestionEvidence, 'countOf'>> {
  const today = dayOf(now);
  const [{ averageHours }, postsThisMonth] = await Promise.all([
    responseTimes(sql, scope, readSpan({}, now)),
    countPublishedPosts(sql, scope, { from: `${today.slice(0, 8)}01`, to: today }),
  ]);
  return { averageResponseHours: averageHours, postsThisMonth };
}
