import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Database, Sql } from '../../../database/connection.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { Id } from '../../../http/ids.ts';
import { numberedPageFields, numberedPageQuery } from '../../../http/pagination.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { invalidField, unknownReference } from '../../../problems.ts';
import { dayOf, daysAfter, readDay, readSpan } from '../../../values/span.ts';
import { readScope } from '../../locations/index.ts';
import { responseTimes } from '../dashboard/feedback/feedback-figures.ts';
import {
  deleteDismissals,
  type FindingKind,
  type HomeQuery,
  locationsOf,
  openTypes,
  upsertDismissals,
} from './finding-store.ts';
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
import { afterField, homeRoute, pageOf, requireFields } from './home-route.ts';
import { countPublishedPosts } from './key-metric.ts';

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

/** Tasks or suggestions. */
interface FindingResource extends FindingKind {
  name: 'task' | 'suggestion';
}

/** Lists the locations of a task or suggestion. */
function findingLocationsRoute(
  server: FastifyInstance,
  database: Database,
  kind: FindingResource,
  summary: string,
): void {
  const type = Type.Enum([...kind.types], { description: `Type of ${kind.name}` });
  homeRoute(server, database, {
    path: `/api/home/${kind.name}s/locations`,
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

const tasks: FindingResource = { name: 'task', types: taskTypes, findingOf: (type) => type };

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

  findingLocationsRoute(server, database, tasks, 'List the locations with an open task');
}

const suggestions: FindingResource = { name: 'suggestion', types: suggestionTypes, findingOf: countedBy };

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

  const locationsSummary = 'List the locations of a suggestion, also if the suggestion is not shown';
  findingLocationsRoute(server, database, suggestions, locationsSummary);
}

/** Response time of the last 30 days, and posts of the current month. */
async function measure(sql: Sql, { scope, now }: HomeQuery): Promise<Omit<SuggestionEvidence, 'countOf'>> {
  const today = dayOf(now);
  const [{ averageHours }, postsThisMonth] = await Promise.all([
    responseTimes(sql, { scope, span: readSpan({}, now) }),
    countPublishedPosts(sql, scope, { from: `${today.slice(0, 8)}01`, to: today }),
  ]);
  return { averageResponseHours: averageHours, postsThisMonth };
}

const defaultDays = 30;
const maxDays = 366;

const dismissalFields = {
  locationIds: Type.Optional(
    Type.Array(Id, {
      minItems: 1,
      maxItems: 1000,
      description: 'Locations to dismiss it for. Defaults to all',
      examples: [[17, 18]],
    }),
  ),
  until: Type.Optional(
    Type.String({
      maxLength: 10,
      description: `Date on which it is shown again, such as 2026-12-01. Defaults to ${defaultDays} days from now, at most a year`,
      examples: ['2026-12-01'],
    }),
  ),
};

const DismissalResponse = Type.Object({
  type: Type.String({ examples: ['LOCATION_ADD_PHOTOS'] }),
  until: Type.String({ description: 'Date on which it is shown again', examples: ['2026-12-01'] }),
  locationIds: Type.Optional(
    Type.Array(Type.Integer(), { description: 'Absent if it is dismissed for all locations' }),
  ),
});

const UndismissResponse = Type.Object({
  success: Type.Literal(true),
  undone: Type.Integer({ description: 'Number of dismissals that were removed', examples: [1] }),
});

function readUntil(given: string | undefined, now: Date): string {
  const today = dayOf(now);
  if (given === undefined) return daysAfter(today, defaultDays);
  readDay('until', given);
  if (given <= today) throw invalidField('until', 'future', `until must be after today (${today}).`);
  const latest = daysAfter(today, maxDays);
  if (given > latest) throw invalidField('until', 'maximum', `until must not be after ${latest}.`);
  return given;
}

export function dismissalRoutes(server: FastifyInstance, { database }: Services): void {
  for (const { name, types } of [tasks, suggestions]) {
    const path = `/api/home/${name}s/dismiss` as const;
    const type = Type.Enum([...types], { description: 'Type to dismiss' });
    route(server, {
      method: 'POST',
      path,
      summary: `Dismiss a ${name} for the caller until a date`,
      needs: 'DASHBOARD_READ',
      body: Type.Object({ type, ...dismissalFields }),
      response: DismissalResponse,
      handler: (request) =>
        idempotentTransaction(request, async (transaction) => {
          const { caller, body } = request;
          const until = readUntil(body.until, new Date());
          const { locationIds } = body;
          if (locationIds) await readScope(transaction, caller, { locationIds }, unknownReference);
          await upsertDismissals(transaction, caller, body.type, locationIds, until);
          return { type: body.type, until, ...(locationIds && { locationIds }) };
        }),
    });

    const undone = Type.Object({
      type: Type.Optional(type),
      locationIds: Type.Optional(
        Type.Unsafe<number[]>({ ...dismissalFields.locationIds, description: 'Locations to restore. Defaults to all' }),
      ),
    });
    route(server, {
      method: 'DELETE',
      path,
      summary: `Restore a ${name} that the caller has dismissed. Parameters can be sent in the query or the body`,
      needs: 'DASHBOARD_READ',
      query: undone,
      body: undone,
      response: UndismissResponse,
      handler: async ({ caller, query, body }) => {
        const given = { ...query, ...body };
        requireFields(['type'], given);
        const { locationIds } = given;
        if (locationIds) await readScope(database.pool, caller, { locationIds }, unknownReference);
        return {
          success: true as const,
          undone: await deleteDismissals(database.pool, caller, given.type as string, locationIds),
        };
      },
    });
  }
}
