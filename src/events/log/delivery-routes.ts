import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { version } from '../../config.ts';
import type { Sql } from '../../database/connection.ts';
import { databaseNow } from '../../database/database-clock.ts';
import { db, raw } from '../../database/query-builder.ts';
import type { Transaction } from '../../database/transaction.ts';
import { idempotentTransaction } from '../../http/idempotency.ts';
import { Id, idParams } from '../../http/ids.ts';
import { cursorList, longListSchema } from '../../http/pagination.ts';
import { readPeriod } from '../../http/period.ts';
import { PartnerSlots } from '../../http/rate-limits.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { Problem, requireFound } from '../../problems.ts';
import { exampleEvent } from '../catalogue/catalogue.ts';
import { loadTarget, type SignedRequest, signedRequest } from '../delivery/target.ts';
import { deliveriesChannel, eventTime } from '../outbox/record-event.ts';
import { canonicalJson } from '../signing/canonical-json.ts';
import type { Sealer } from '../signing/sealer.ts';
import { maskedHeaders } from '../signing/webhook-credentials.ts';
import { requireEnabled, requireWebhook } from '../subscriptions/webhook-store.ts';
import { AttemptResponse, attemptResponse, OutcomeResponse, outcomeResponse } from './attempt.ts';
import { DeliveryResponse, deliveryResponse, endedStates, openStates, parseDeliveryId } from './delivery.ts';
import {
  countDeliveries,
  type DeliveryDetails,
  discard,
  findDelivery,
  firstDeliveries,
  listDeliveries,
  lockQueued,
  makeDue,
  requeue,
} from './delivery-store.ts';
import { logQuery, maxSearched, onlyEvent, readEventRange, readLog, readSearch, searchQuery } from './log-page.ts';
import { readSentRequests } from './sent-request-store.ts';

const states = [...openStates, ...endedStates] as const;
const userAgent = `Waypost/${version}`;

export const DeliveryDetailsResponse = Type.Object({
  ...DeliveryResponse.properties,
  pushUrl: Type.String({ description: 'Target of the next attempt' }),
  body: Type.Optional(
    Type.String({
      description: 'The exact request body, signed with the current private key; absent without a valid key',
    }),
  ),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description:
        'The headers of an attempt made now, with current timestamp and signatures; absent without a valid key',
    }),
  ),
  history: Type.Array(AttemptResponse, { description: 'Attempts, oldest first (at most the last 100)' }),
});

const deliveryParams = Type.Object({ id: DeliveryResponse.properties.id });

export function deliveryRoutes(server: FastifyInstance, { database, sealer }: Services): void {
  const detailsResponse = async (
    sql: Sql,
    details: DeliveryDetails,
  ): Promise<Static<typeof DeliveryDetailsResponse>> => {
    const now = await databaseNow(sql);
    const request = await currentRequest(sql, sealer, details, now);
    const requests = await readSentRequests(sql, sealer, details, now);
    return {
      ...deliveryResponse(details.delivery, details.webhook, now),
      pushUrl: details.webhook.pushUrl,
      ...(request && { body: request.body, headers: request.headers }),
      history: details.history.map((attempt) => attemptResponse(attempt, requests.get(attempt))),
    };
  };

  route(server, {
    method: 'GET',
    path: '/api/sales-partners/webhooks/:id/deliveries',
    summary: 'List deliveries of a webhook, newest events first by default',
    needs: 'ADMIN',
    params: idParams,
    query: Type.Object({
      ...logQuery,
      ...searchQuery,
      states: Type.Array(Type.Enum([...states]), {
        default: [...states],
        description: 'Cancelled deliveries are not listed; GET /api/events/{id} returns them',
      }),
      statusCode: Type.Optional(
        Type.Integer({ minimum: 100, maximum: 999, description: 'Status code of the last attempt' }),
      ),
      eventId: Type.Optional(Id),
    }),
    response: longListSchema('deliveries', DeliveryResponse),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params, query }) => {
      const period = readPeriod(query);
      const webhook = await requireWebhook(database.pool, caller.partnerId, params.id);
      const events = onlyEvent(await readEventRange(database.pool, period), query.eventId);
      const { statusCode } = query;
      const filter = {
        webhookId: webhook.id,
        events,
        states: query.states,
        ...(statusCode !== undefined && { statusCode }),
      };
      const sql = database.pool;
      const search = readSearch(query, [webhook.type]);
      const [counted, found] = await readLog({
        sql,
        callerId: caller.partnerId,
        query,
        events,
        search,
        count: () => countDeliveries(sql, caller.partnerId, filter),
        list: (range, page) => listDeliveries(sql, { ...filter, events: range }, page),
        candidates: (order) => firstDeliveries(sql, filter, maxSearched, order),
      });
      const now = await databaseNow(database.pool);
      return cursorList('deliveries', query, counted, found, (delivery) =>
        deliveryResponse(delivery, { ...webhook, deleted: false }, now),
      );
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/deliveries/:id',
    summary: 'Get a delivery with its attempts',
    needs: 'ADMIN',
    params: deliveryParams,
    response: DeliveryDetailsResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) =>
      detailsResponse(database.pool, await requireDelivery(database.pool, caller.partnerId, id)),
  });

  /** Changes a delivery, wakes the workers and returns the new state. */
  const changeRoute = (
    path: `/api/deliveries/:id/${string}`,
    summary: string,
    change: (transaction: Transaction, details: DeliveryDetails) => Promise<void>,
  ) =>
    route(server, {
      method: 'POST',
      path,
      summary,
      needs: 'ADMIN',
      params: deliveryParams,
      response: DeliveryDetailsResponse,
      problems: ['NOT_FOUND', 'CONFLICT'],
      handler: (request) =>
        idempotentTransaction(request, async (transaction) => {
          const { caller, params } = request;
          const find = () => requireDelivery(transaction, caller.partnerId, params.id);
          await lockQueued(transaction, (await find()).delivery);
          // After the lock: an attempt in flight may have ended the delivery meanwhile.
          await change(transaction, await find());
          transaction.notifyAfterCommit(deliveriesChannel);
          return detailsResponse(transaction, await find());
        }),
    });

  changeRoute(
    '/api/deliveries/:id/retry',
    'Send a waiting delivery now, or an ended delivery again, even while the webhook is paused',
    async (transaction, { delivery, webhook }) => {
      requireSendable(delivery, webhook);
      requireTurn(delivery);
      if (delivery.dueAt === null) await requeue(transaction, delivery, delivery.attempts);
      else await makeDue(transaction, delivery);
    },
  );

  changeRoute(
    '/api/deliveries/:id/discard',
    'Discard a delivery after a failed attempt, so that an ordered webhook sends the next event',
    async (transaction, { delivery }) => {
      if (await discard(transaction, delivery)) return;
      const id = `${delivery.eventId}-${delivery.webhookId}`;
      throw new Problem('CONFLICT', {
        message: `Delivery ${id} is not being retried: it has ended, or no attempt has failed yet. Nothing was changed.`,
      });
    },
  );
}

async function requireDelivery(sql: Sql, callerId: number, id: string): Promise<DeliveryDetails> {
  const key = parseDeliveryId(id);
  return requireFound(key && (await findDelivery(sql, callerId, key)), `delivery ${id}`);
}

function requireSendable(
  { webhookId: id, type }: DeliveryDetails['delivery'],
  { deleted, enabled, webhookType }: DeliveryDetails['webhook'],
): void {
  if (!deleted && type !== webhookType) {
    throw new Problem('CONFLICT', {
      message: `Webhook ${id} is subscribed to ${webhookType} now, so an event of type ${type} cannot be sent to it.`,
    });
  }
  if (deleted) {
    throw new Problem('CONFLICT', { message: `Webhook ${id} was deleted, so events cannot be sent to it.` });
  }
  requireEnabled({ id, enabled });
}

/** A delivery that an ordered webhook holds back is not sent before the others. */
function requireTurn({ eventId, webhookId, waitsFor }: DeliveryDetails['delivery']): void {
  if (waitsFor === null) return;
  throw new Problem('CONFLICT', {
    message: `Event ${eventId} waits for event ${waitsFor}, because webhook ${webhookId} is ordered. Nothing was sent. Retry or discard the delivery of event ${waitsFor}, or send all waiting deliveries without an order: PATCH /api/sales-partners/webhooks/${webhookId} with {"ordered": false}.`,
  });
}

/** The request as it would be sent now, without the values of custom headers and the access token. */
async function currentRequest(
  sql: Sql,
  sealer: Sealer,
  { delivery, eventText }: DeliveryDetails,
  now: Date,
): Promise<SignedRequest | undefined> {
  const target = await loadTarget(sql, sealer, delivery.webhookId);
  if (!target) return undefined;
  const event = { id: delivery.eventId, text: eventText };
  const request = signedRequest(target, event, { now, userAgent });
  const masked = maskedHeaders(target.oauth ? { ...target.headers, authorization: '' } : target.headers);
  return { ...request, headers: { ...request.headers, ...masked } };
}

export const TestDeliveryResponse = Type.Object({
  delivered: Type.Boolean(),
  eventId: Type.Integer({ description: 'Id of the example event; it is not in the event log' }),
  url: Type.String(),
  ...OutcomeResponse.properties,
});

// A hanging receiver blocks only test deliveries of its partner, never the rest of the API.
const testLimits = { perPartner: 2, total: 8, requests: 'test deliveries', retryAfterSeconds: 15 };

/** Sends the example event like a real delivery, with an additional header that marks it as a test. */
export function testDeliveryRoutes(server: FastifyInstance, { database, sealer, sender }: Services): void {
  const slots = new PartnerSlots(testLimits);

  route(server, {
    method: 'POST',
    path: '/api/sales-partners/webhooks/:id/test',
    summary: 'Send a test delivery with the example event of its type to a webhook and return the response',
    needs: 'ADMIN',
    params: idParams,
    response: TestDeliveryResponse,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async (request) => {
      const { caller, params, log } = request;
      const webhook = await requireWebhook(database.pool, caller.partnerId, params.id);
      const send = async (sql: Sql) => {
        const target = await loadTarget(sql, sealer, webhook.id);
        if (!target)
          throw new Problem('CONFLICT', {
            message: 'The partner of this webhook has no valid private key. Create one first.',
          });
        // Not in the transaction: ordered webhooks wait for transactions that have drawn an id.
        const { id, salesPartnerIdentifier } = await nextEvent(database.pool, webhook.partnerId);
        const now = await databaseNow(sql);
        const event = { ...exampleEvent(webhook.type), id, time: eventTime(now), salesPartnerIdentifier };
        const signed = signedRequest(target, { id, text: canonicalJson(event) }, { now, userAgent });
        const outcome = await sender.send({ ...signed, headers: { ...signed.headers, 'waypost-test': 'true' } });
        const { kind, phases } = outcome;
        log.info({ event: 'webhook.tested', webhookId: webhook.id, outcome: kind, tookMs: phases.totalMs });
        return { delivered: kind === 'delivered', eventId: id, url: target.url, ...outcomeResponse(outcome) };
      };
      return slots.run(caller.partnerId, () =>
        // Without an idempotency key no transaction is needed, so no database connection is held during the request.
        request.headers['idempotency-key'] === undefined ? send(database.pool) : idempotentTransaction(request, send),
      );
    },
  });
}

/** The test event always belongs to the webhook's partner, not to the caller. */
const nextEvent = (sql: Sql, partnerId: number): Promise<{ id: number; salesPartnerIdentifier: string }> =>
  db(sql)
    .selectFrom('salesPartners')
    .select([raw<number>`nextval('event_id')`.as('id'), 'identifier as salesPartnerIdentifier'])
    .where('id', '=', partnerId)
    .executeTakeFirstOrThrow();
