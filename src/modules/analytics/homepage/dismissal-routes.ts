import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { Id } from '../../../http/ids.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { invalidField, unknownReference } from '../../../problems.ts';
import { dayOf, daysAfter, readDay } from '../../../values/span.ts';
import { readScope } from '../../locations/index.ts';
import { deleteDismissals, upsertDismissals } from './dismissal-store.ts';
import { suggestionTypes, taskTypes } from './finding-types.ts';
import { requireFields } from './home-route.ts';

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

const kinds = [
  { path: '/api/home/tasks/dismiss', what: 'a task', types: taskTypes },
  { path: '/api/home/suggestions/dismiss', what: 'a suggestion', types: suggestionTypes },
] as const;

export function dismissalRoutes(server: FastifyInstance, { database }: Services): void {
  for (const { path, what, types } of kinds) {
    const type = Type.Enum([...types] as string[], { description: 'Type to dismiss' });
    route(server, {
      method: 'POST',
      path,
      summary: `Dismiss ${what} for the caller until a date`,
      needs: 'DASHBOARD_READ',
      body: Type.Object({ type, ...dismissalFields }),
      response: DismissalResponse,
      problems: ['NOT_FOUND'],
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
      summary: `Restore ${what} that the caller has dismissed. Parameters can be sent in the query or the body`,
      needs: 'DASHBOARD_READ',
      query: undone,
      body: undone,
      response: UndismissResponse,
      problems: ['NOT_FOUND'],
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
