import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Services } from '../../../http/services.ts';
import { readScope, scopeQuery } from '../../locations/index.ts';
import { dismissedUntil, findingLocationsRoute, includeDismissed } from './finding-locations.ts';
import { type FindingKind, openTypes } from './open-findings.ts';
import { upToDateField } from './paging.ts';
import { readRoute } from './read-route.ts';
import { catchUp } from './refresh-homepage.ts';
import { categories, priorities, type TaskType, taskDefinitions, taskTypes } from './task-types.ts';

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
          category: Type.Enum([...categories]),
          priority: Type.Enum([...priorities]),
          title: Type.String(),
          whatToDo: Type.String(),
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
