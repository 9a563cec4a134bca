import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../database/connection.ts';
import { databaseNow } from '../../database/database-clock.ts';
import { idempotentTransaction } from '../../http/idempotency.ts';
import { Id, idParams } from '../../http/ids.ts';
import { longListSchema } from '../../http/long-list.ts';
import { isDescending } from '../../http/pagination.ts';
import { readPeriod } from '../../http/period.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { notFound, Problem } from '../../problems.ts';
import { deliveriesChannel } from '../outbox/record-event.ts';
import { AttemptAnswer, attemptAnswer } from './attempt.ts';
import { DeliveryAnswer, deliveryAnswer, endedStates, openStates, parseDeliveryId } from './delivery.ts';
import { countDeliveries, listDeliveries } from './delivery-log-store.ts';
import { bringForward, type DeliveryStory, findDelivery, queueAgain } from './delivery-store.ts';
import { behindEvent, onlyEvent, readEventRange } from './event-range.ts';
import { exactRequest } from './exact-request.ts';
import { knownWebhook, refuseWhenOff } from './known-webhook.ts';
import { logPage, logQuery } from './log-page.ts';

const states = [...openStates, ...endedStates] as const;

export const DeliveryStoryAnswer = Type.Object({
  ...DeliveryAnswer.properties,
  pushUrl: Type.String({ description: 'Where the next try would go' }),
  body: Type.Optional(
    Type.String({ description: 'The body, byte for byte, signed with the key that signs today; absent without a key' }),
  ),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'The headers of a try made now: time stamp and signatures are of this moment; absent without a key',
    }),
  ),
  history: Type.Array(AttemptAnswer, { description: 'Every try, the first one first (the last hundred)' }),
});

const deliveryParams = Type.Object({ id: DeliveryAnswer.properties.id });

export function deliveryRoutes(server: FastifyInstance, { database, sealer }: Services): void {
  const storyAnswer = async (sql: Sql, story: DeliveryStory): Promise<Static<typeof DeliveryStoryAnswer>> => {
    const now = await databaseNow(sql);
    const request = await exactRequest(sql, sealer, story, now);
    return {
      ...deliveryAnswer(story.delivery, story.webhook, now),
      pushUrl: story.webhook.pushUrl,
      ...(request && { body: request.body, headers: request.headers }),
      history: story.history.map(attemptAnswer),
    };
  };

  route(server, {
    method: 'GET',
    path: '/api/sales-partners/webhooks/:id/deliveries',
    summary: 'The deliveries to a webhook, the newest events first unless asked otherwise',
    needs: 'ADMIN',
    params: idParams,
    query: Type.Object({
      ...logQuery,
      states: Type.Array(Type.Enum([...states]), { default: [...states] }),
      statusCode: Type.Optional(
        Type.Integer({ minimum: 100, maximum: 999, description: 'What the last try was answered with' }),
      ),
      eventId: Type.Optional(Id),
    }),
    response: longListSchema('deliveries', DeliveryAnswer),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params, query }) => {
      const period = readPeriod(query);
      const webhook = await knownWebhook(database.pool, caller.partnerId, params.id);
      const events = onlyEvent(await readEventRange(database.pool, period), query.eventId);
      const { statusCode } = query;
      const descending = isDescending(query.order);
      const filter = {
        webhookId: webhook.id,
        events,
        states: query.states,
        ...(statusCode !== undefined && { statusCode }),
      };
      const [counted, found] = await Promise.all([
        countDeliveries(database.pool, filter),
        listDeliveries(
          database.pool,
          { ...filter, events: behindEvent(events, query.after, descending) },
          { offset: query.offset, limit: query.max + 1, descending },
        ),
      ]);
      const now = await databaseNow(database.pool);
      return logPage('deliveries', query, counted, found, (delivery) =>
        deliveryAnswer(delivery, { ...webhook, deleted: false }, now),
      );
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/deliveries/:id',
    summary: 'A delivery with every try that was made',
    needs: 'ADMIN',
    params: deliveryParams,
    response: DeliveryStoryAnswer,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) =>
      storyAnswer(database.pool, await knownDelivery(database.pool, caller.partnerId, id)),
  });

  route(server, {
    method: 'POST',
    path: '/api/deliveries/:id/retry',
    summary: 'Send a delivery now, also while its webhook is paused: a waiting one, or an ended one again',
    needs: 'ADMIN',
    params: deliveryParams,
    response: DeliveryStoryAnswer,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller, params } = request;
        const { delivery, webhook } = await knownDelivery(transaction, caller.partnerId, params.id);
        refuseUnsendable(delivery, webhook);
        if (delivery.dueAt === null) await queueAgain(transaction, delivery, delivery.attempts);
        else await bringForward(transaction, delivery);
        transaction.notifyAfterCommit(deliveriesChannel);
        return storyAnswer(transaction, await knownDelivery(transaction, caller.partnerId, params.id));
      }),
  });
}

async function knownDelivery(sql: Sql, callerId: number, id: string): Promise<DeliveryStory> {
  const key = parseDeliveryId(id);
  const story = key && (await findDelivery(sql, callerId, key));
  if (!story) throw notFound(`delivery ${id}`);
  return story;
}

function refuseUnsendable(
  { webhookId: id, type }: DeliveryStory['delivery'],
  { deleted, enabled, webhookType }: DeliveryStory['webhook'],
): void {
  if (!deleted && type !== webhookType) {
    throw new Problem('CONFLICT', {
      message: `Webhook ${id} is for ${webhookType} now: an event of type ${type} is not sent to it any more.`,
    });
  }
  if (deleted) {
    throw new Problem('CONFLICT', { message: `Webhook ${id} was deleted: nothing is sent to it any more.` });
  }
  refuseWhenOff({ id, enabled });
}
