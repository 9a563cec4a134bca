import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Database, Sql } from '../../../database/connection.ts';
import { numberedPageFields, numberedPageQuery } from '../../../http/pagination.ts';
import type { Services } from '../../../http/services.ts';
import { dayOf, readSpan } from '../../../values/span.ts';
import { readScope, type Scope, scopeQuery } from '../../locations/index.ts';
import { responseTimes } from '../dashboard/feedback/feedback-figures.ts';
import { type FindingKind, locationsOf, openTypes } from './finding-store.ts';
import { catchUp } from './homepage-jobs.ts';
import { countPublishedPosts } from './key-metric-figures.ts';
import { afterField, pageOf, readRoute, upToDateField } from './read-route.ts';
import { countedBy, type SuggestionEvidence, suggestionDefinitions, suggestionTypes } from './suggestion-types.ts';
import { categories, priorities, type TaskType, taskDefinitions, taskTypes } from './task-types.ts';

const includeDismissed = {
  includeDismissed: Type.Boolean({ default: false, description: 'Include dismissed ones' }),
};
const dismissedUntil = {
  dismissedUntil: Type.Optional(Type.String({ description: 'Date on which it is shown again, if dismissed' })),
};

const definitionFields = {
  category: Type.Enum([...categories]),
  priority: Type.Enum([...priorities]),
  title: Type.String(),
  whatToDo: Type.String(),
};
const openFields = { locationsCount: Type.Integer({ examples: [12] }), ...dismissedUntil };

interface FindingLocations {
  path: `/api/home/${string}`;
  summary: string;
  kind: FindingKind;
  /** Description of the type parameter. */
  description: string;
}

/** Lists the locations of a task or suggestion. */
function findingLocationsRoute(
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
      const found = await locationsOf(database.pool, kind, type, { ...given, caller, scope, now }, pageOf(given));
      return { type, page, size, ...found, upToDate };
    },
  });
}

const tasks: FindingKind = { types: taskTypes, findingOf: (type) => type };

export function taskRoutes(server: FastifyInstance, { database }: Services): void {
  readRoute(server, {
    path: '/api/home/tasks',
    summary: 'List open tasks with the number of locations, most urgent first',
    fields: { ...scopeQuery, ...includeDismissed },
    response: Type.Object({
      tasks: Type.Array(
        Type.Object({
          type: Type.Enum([...taskTypes]),
          ...definitionFields,
          ...openFields,
        }),
      ),
      ...upToDateField,
    }),
    read: async (caller, given) => {
      const now = new Date();
      const scope = await readScope(database.pool, caller, given);
      const upToDate = await catchUp(database, caller.partnerId, now);
      const { open } = await openTypes(database.pool, tasks, { ...given, caller, scope, now });
      return {
        tasks: open.map(({ type: name, ...rest }) => {
          const type = name as TaskType;
          const { category, priority, title, whatToDo } = taskDefinitions[type];
          return { type, category, priority, title, whatToDo, ...rest };
        }),
        upToDate,
      };
    },
  });

  findingLocationsRoute(server, database, {
    path: '/api/home/tasks/locations',
    summary: 'List the locations with an open task',
    kind: tasks,
    description: 'Type of task',
  });
}

const suggestions: FindingKind = { types: suggestionTypes, findingOf: countedBy };

export function suggestionRoutes(server: FastifyInstance, { database }: Services): void {
  readRoute(server, {
    path: '/api/home/suggestions',
    summary: 'List suggestions with the number of locations',
    fields: { ...scopeQuery, ...includeDismissed },
    response: Type.Object({
      suggestions: Type.Array(
        Type.Object({
          type: Type.Enum([...suggestionTypes], { description: 'Type of suggestion' }),
          ...definitionFields,
          directoryType: Type.Optional(Type.String({ description: 'Directory, for suggestions about one directory' })),
          ...openFields,
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
