import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { version } from '../../config.ts';
import type { Sql } from '../../database/connection.ts';
import { databaseNow } from '../../database/database-clock.ts';
import { db, raw } from '../../database/query-builder.ts';
import { idempotentTransaction } from '../../http/idempotency.ts';
import { idParams } from '../../http/ids.ts';
import { PartnerSlots } from '../../http/rate-limits.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { Problem } from '../../problems.ts';
import { type EventTypeName, exampleEvent } from '../catalogue/catalogue.ts';
import { loadTargets, signedRequest, type Target } from '../delivery/target.ts';
import { eventTime } from '../outbox/record-event.ts';
import { canonicalJson } from '../signing/canonical-json.ts';
import { requireWebhook } from '../subscriptions/webhook-store.ts';
import type { Outcome } from '../transport/outcome.ts';
import { OutcomeResponse, outcomeResponse } from './attempt.ts';

const userAgent = `Waypost/${version}`;
// A hanging receiver blocks only test deliveries of its partner, never the rest of the API.
const limits = { perPartner: 2, total: 8, what: 'test deliveries', retryAfterSeconds: 15 };

export function testDeliveryRoutes(server: FastifyInstance, { database, sealer, sender }: Services): void {
  const slots = new PartnerSlots(limits);

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
        const [target] = await loadTargets(sql, sealer, [webhook.id]);
        if (!target)
          throw new Problem('CONFLICT', {
            message: 'The partner of this webhook has no valid private key. Create one first.',
          });
        // Not in the transaction: ordered webhooks wait for transactions that have drawn an id.
        const { id, partnerIdentifier } = await nextEvent(database.pool, webhook.partnerId);
        const event = { id, type: webhook.type, partnerIdentifier };
        const now = await databaseNow(sql);
        const outcome = await sender.send(testRequest(target, event, { now, userAgent }));
        const { kind, phases } = outcome;
        log.info({ event: 'webhook.tested', webhookId: webhook.id, outcome: kind, tookMs: phases.totalMs });
        return testDeliveryResponse(id, target.url, outcome);
      };
      return slots.run(caller.partnerId, () =>
        // Without an idempotency key no transaction is needed, so no database connection is held during the request.
        request.headers['idempotency-key'] === undefined ? send(database.pool) : idempotentTransaction(request, send),
      );
    },
  });
}

/** The test event always belongs to the webhook's partner, not to the caller. */
const nextEvent = (sql: Sql, partnerId: number): Promise<{ id: number; partnerIdentifier: string }> =>
  db(sql)
    .selectFrom('salesPartners')
    .select([raw<number>`nextval('event_id')`.as('id'), 'identifier as partnerIdentifier'])
    .where('id', '=', partnerId)
    .executeTakeFirstOrThrow();

export const TestDeliveryResponse = Type.Object({
  delivered: Type.Boolean(),
  eventId: Type.Integer({ description: 'Id of the example event; it is not in the event log' }),
  url: Type.String(),
  ...OutcomeResponse.properties,
});

/** The example event as a real delivery, with an additional header that marks it as a test. */
function testRequest(
  target: Target,
  event: { id: number; type: EventTypeName; partnerIdentifier: string },
  { now, userAgent }: { now: Date; userAgent: string },
): ReturnType<typeof signedRequest> {
  const { id, type, partnerIdentifier: salesPartnerIdentifier } = event;
  const text = canonicalJson({ ...exampleEvent(type), id, time: eventTime(now), salesPartnerIdentifier });
  const request = signedRequest(target, { id, text }, { now, userAgent });
  return { ...request, headers: { ...request.headers, 'waypost-test': 'true' } };
}

const testDeliveryResponse = (eventId: number, url: string, outcome: Outcome): Static<typeof TestDeliveryResponse> => ({
  delivered: outcome.kind === 'delivered',
  eventId,
  url,
  ...outcomeResponse(outcome),
});
