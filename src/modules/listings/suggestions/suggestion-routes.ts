import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Transaction } from '../../../database/transaction.ts';
import { recordAudits } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { dryRun, writeTransaction } from '../../../http/idempotency.ts';
import { Id, idParams } from '../../../http/ids.ts';
import { pageOf, pageQuery, pageSchema } from '../../../http/pagination.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { invalidField, Problem } from '../../../problems.ts';
import { fieldName } from '../../../schema-errors.ts';
import { actorOf } from '../../accounts/index.ts';
import { changeLocation, type LocationPatch, lockLocations } from '../../locations/index.ts';
import { requireLocation } from '../listing-routes.ts';
import { type Suggestion, SuggestionResponse, suggestionResponse, suggestionStatuses } from './suggestion.ts';
import { countSuggestions, decideSuggestion, listSuggestions, lockSuggestions } from './suggestion-store.ts';

const Decision = Type.Object({
  id: Id,
  status: Type.Enum(['ACCEPTED', 'DECLINED', 'HIDDEN']),
  apply: Type.Optional(
    Type.Boolean({
      description: 'With ACCEPTED: also write the value to the location. Default: only record the decision',
    }),
  ),
});

export function suggestionRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/locations/:id/suggestions',
    summary: 'List suggestions for a location: values that directories show and that differ',
    needs: 'LOCATION_READ',
    params: idParams,
    query: Type.Object({
      ...pageQuery,
      status: Type.Array(Type.Enum([...suggestionStatuses]), { default: [...suggestionStatuses] }),
    }),
    response: pageSchema('suggestions', SuggestionResponse),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id }, query }) => {
      await requireLocation(database.pool, caller, id);
      const filter = { partnerId: caller.partnerId, locationId: id, statuses: query.status };
      const [count, suggestions] = await Promise.all([
        countSuggestions(database.pool, filter),
        listSuggestions(database.pool, filter, query),
      ]);
      return pageOf('suggestions', query, count, suggestions.map(suggestionResponse));
    },
  });

  route(server, {
    method: 'PUT',
    path: '/api/locations/:id/suggestions',
    summary: 'Accept, decline or hide suggestions; with apply, accepted values are written to the location',
    needs: 'LOCATION_WRITE',
    params: idParams,
    query: Type.Object({ dryRun }),
    body: Type.Array(Decision, { minItems: 1, maxItems: 200 }),
    response: Type.Object({ suggestions: Type.Array(SuggestionResponse) }),
    problems: ['NOT_FOUND', 'CONFLICT', 'IDENTIFIER_NOT_UNIQUE'],
    handler: (request) =>
      writeTransaction(request, async (transaction) => {
        const { caller, params, body } = request;
        const { id } = params;
        await requireLocation(transaction, caller, id);
        const suggestions = await decide(transaction, caller, id, body);
        return { suggestions: suggestions.map(suggestionResponse) };
      }),
  });
}

function rejectRepeatedIds(ids: readonly number[]): void {
  const repeated = ids.findIndex((id, index) => ids.indexOf(id) < index);
  if (repeated < 0) return;
  const field = fieldName(`/${repeated}/id`);
  const message = `${field} repeats suggestion ${ids[repeated]}. List each suggestion once.`;
  throw invalidField(field, 'unique', message);
}

function rejectRepeatedFields(fields: readonly string[]): void {
  const repeated = fields.find((field, index) => fields.indexOf(field) < index);
  if (repeated === undefined) return;
  const message = `Two suggestions for ${repeated} cannot both be applied. Apply only one of them.`;
  throw new Problem('CONFLICT', { message });
}

async function decide(
  transaction: Transaction,
  caller: Caller,
  locationId: number,
  decisions: readonly Type.Static<typeof Decision>[],
): Promise<Suggestion[]> {
  const actor = actorOf(caller);
  const ids = decisions.map(({ id }) => id);
  rejectRepeatedIds(ids);
  const applied = decisions.filter(({ status, apply }) => status === 'ACCEPTED' && apply);
  // In the order of a check, to avoid deadlocks: the location, then its suggestions.
  if (applied.length > 0) await lockLocations(transaction, caller.partnerId, [locationId]);
  const locked = await lockSuggestions(transaction, { partnerId: caller.partnerId, locationId }, ids);
  const known = new Map(locked.map((one) => [one.id, one]));
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length > 0) {
    const message = `Location ${locationId} has no suggestion ${missing.join(', ')}. No suggestion was changed.`;
    throw new Problem('NOT_FOUND', { message });
  }
  rejectRepeatedFields(applied.map(({ id }) => known.get(id)?.field ?? ''));
  if (applied.length > 0) {
    const patch = Object.fromEntries(
      applied.map(({ id }) => [known.get(id)?.field ?? '', known.get(id)?.suggestedValue]),
    ) as LocationPatch;
    await changeLocation(transaction, actor, locationId, patch);
  }
  const decided: Suggestion[] = [];
  for (const { id, status } of decisions) decided.push(await decideSuggestion(transaction, id, status, actor.by));
  const entries = decisions.map(({ id, status, apply }) => ({
    action: status,
    subject: 'SUGGESTION',
    subjectId: id,
    details: { locationId, field: known.get(id)?.field, applied: apply ?? false },
  }));
  await recordAudits(transaction, actor, entries);
  return decided;
}
