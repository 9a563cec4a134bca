import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Database, Sql } from '../../../database/connection.ts';
import { numberedPageFields, numberedPageQuery } from '../../../http/pagination.ts';
import type { Services } from '../../../http/services.ts';
import { dayOf, readSpan } from '../../../values/span.ts';
import { responseTimes } from '../dashboard/feedback/feedback-figures.ts';
import { type FindingKind, type HomeQuery, locationsOf, openTypes } from './finding-store.ts';
import {
  categories,
  countedBy,
  priorities,
  type SuggestionEvidence,
  suggestionDefinitions,
  suggestionTypes,
  type TaskType,
  taskDefinitions,
  taskTypes,
} from './finding-types.ts';
import { afterField, homeRoute, pageOf } from './home-route.ts';
import { countPublishedPosts } from './key-metric-figures.ts';

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

/** Lists the locations of a task or suggestion. */
function findingLocationsRoute(
  server: FastifyInstance,
  database: Database,
  {
    path,
    summary,
    kind,
    description,
  }: { path: `/api/home/${string}`; summary: string; kind: FindingKind; description: string },
): void {
  const type = Type.Enum([...kind.types], { description });
  homeRoute(server, database, {
    path,
    summary,
    fields: { type, ...numberedPageQuery, ...afterField, ...includeDismissed },
    response: { type, ...numberedPageFields('locationIds', Type.Integer({ examples: [17] })), ...dismissedUntil },
    read: async (query, given) => {
      const { page, size } = given;
      const found = await locationsOf(database.pool, kind, given.type, { ...query, ...given }, pageOf(given));
      return { type: given.type, page, size, ...found };
    },
  });
}

const tasks: FindingKind = { types: taskTypes, findingOf: (type) => type };

export function taskRoutes(server: FastifyInstance, { database }: Services): void {
  homeRoute(server, database, {
    path: '/api/home/tasks',
    summary: 'List open tasks with the number of locations, most urgent first',
    fields: includeDismissed,
    response: {
      tasks: Type.Array(Type.Object({ type: Type.Enum([...taskTypes]), ...definitionFields, ...openFields })),
    },
    read: async (query, given) => {
      const { open } = await openTypes(database.pool, tasks, { ...query, ...given });
      return {
        tasks: open.map(({ type: name, ...rest }) => {
          const type = name as TaskType;
          const { isOpen: _, ...definition } = taskDefinitions[type];
          return { type, ...definition, ...rest };
        }),
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
  homeRoute(server, database, {
    path: '/api/home/suggestions',
    summary: 'List suggestions with the number of locations',
    fields: includeDismissed,
    response: {
      suggestions: Type.Array(
        Type.Object({
          type: Type.Enum([...suggestionTypes], { description: 'Type of suggestion' }),
          ...definitionFields,
          directoryType: Type.Optional(Type.String({ description: 'Directory, for suggestions about one directory' })),
          ...openFields,
        }),
      ),
    },
    read: async (query, given) => {
      const [{ open, counts }, measured] = await Promise.all([
        openTypes(database.pool, suggestions, { ...query, ...given }),
        measure(database.pool, query),
      ]);
      const evidence: SuggestionEvidence = { ...measured, countOf: (finding) => counts.get(finding) ?? 0 };
      return {
        suggestions: open.flatMap(({ type, ...rest }) => {
          const definition = suggestionDefinitions[type];
          if (!definition || definition.isShown?.(evidence) === false) return [];
          const { category, priority, title, whatToDo, directoryType } = definition;
          return [{ type, category, priority, title, whatToDo, ...(directoryType && { directoryType }), ...rest }];
        }),
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
async function measure(sql: Sql, { scope, now }: HomeQuery): Promise<Omit<SuggestionEvidence, 'countOf'>> {
  const today = dayOf(now);
  const [{ averageHours }, postsThisMonth] = await Promise.all([
    responseTimes(sql, scope, readSpan({}, now)),
    countPublishedPosts(sql, scope, { from: `${today.slice(0, 8)}01`, to: today }),
  ]);
  return { averageResponseHours: averageHours, postsThisMonth };
}
