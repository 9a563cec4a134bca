import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { unknownReference } from '../../../problems.ts';
import { readScope } from '../../locations/index.ts';
import { DismissalAnswer, dismissalFields, readUntil, UndoneAnswer } from './dismissal.ts';
import { putDismissals, removeDismissals } from './dismissal-store.ts';
import { demandGiven } from './get-and-post.ts';
import { suggestionTypes } from './suggestion-types.ts';
import { taskTypes } from './task-types.ts';

const kinds = [
  { path: '/api/home/tasks/dismiss', what: 'a task', types: taskTypes },
  { path: '/api/home/suggestions/dismiss', what: 'a suggestion', types: suggestionTypes },
] as const;

export function dismissalRoutes(server: FastifyInstance, { database }: Services): void {
  for (const { path, what, types } of kinds) {
    const type = Type.Enum([...types] as string[], { description: 'What is dismissed' });
    route(server, {
      method: 'POST',
      path,
      summary: `Do not show ${what} before a day, to the caller alone`,
      needs: 'DASHBOARD_READ',
      body: Type.Object({ type, ...dismissalFields }),
      response: DismissalAnswer,
      problems: ['NOT_FOUND'],
      handler: (request) =>
        idempotentTransaction(request, async (transaction) => {
          const { caller, body } = request;
          const until = readUntil(body.until, new Date());
          const { locationIds } = body;
          if (locationIds) await readScope(transaction, caller, { locationIds }, unknownReference);
          await putDismissals(transaction, caller, body.type, locationIds, until);
          return { type: body.type, until, ...(locationIds && { locationIds }) };
        }),
    });

    const undone = Type.Object({
      type: Type.Optional(type),
      locationIds: Type.Optional(
        Type.Unsafe<number[]>({ ...dismissalFields.locationIds, description: 'Only at these; all of it unless given' }),
      ),
    });
    route(server, {
      method: 'DELETE',
      path,
      summary: `Show ${what} again that the caller has dismissed; said in the query or in a body`,
      needs: 'DASHBOARD_READ',
      query: undone,
      body: undone,
      response: UndoneAnswer,
      problems: ['NOT_FOUND'],
      handler: async ({ caller, query, body }) => {
        const given = { ...query, ...body };
        demandGiven(['type'], given);
        const { locationIds } = given;
        if (locationIds) await readScope(database.pool, caller, { locationIds }, unknownReference);
        return {
          success: true as const,
          undone: await removeDismissals(database.pool, caller, given.type as string, locationIds),
        };
      },
    });
  }
}
