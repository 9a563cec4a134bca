import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { databaseNow } from '../../database/database-clock.ts';
import type { Transaction } from '../../database/transaction.ts';
import { recordAudit } from '../../http/audit-trail.ts';
import type { Caller } from '../../http/authenticate.ts';
import { idempotentTransaction } from '../../http/idempotency.ts';
import { idParams } from '../../http/ids.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { deliveriesChannel } from '../outbox/record-event.ts';
import { WebhookAnswer, webhookAnswer } from '../subscriptions/webhook.ts';
import { bringRetriesForward, forgetFailures } from '../subscriptions/webhook-store.ts';
import { readEventRange } from './event-range.ts';
import { knownWebhook, lockedWebhook, refuseWhenOff } from './known-webhook.ts';
import { oldestKept, ReplayAnswer, readOrder } from './replay.ts';
import { countCandidates } from './replay-candidates.ts';
import { startReplay } from './start-replay.ts';

const dueNow = Type.Integer({ description: 'Retries that waited for a later time and are due now' });

/** A user who repaired the receiver does not wait for the breaker or the retry schedule. */
export function resumeRoutes(server: FastifyInstance, { config }: Services): void {
  route(server, {
    method: 'POST',
    path: '/api/sales-partners/webhooks/:id/resume',
    summary: 'End the pause of a webhook and send its waiting deliveries now; failures so far no longer count',
    needs: 'ADMIN',
    params: idParams,
    response: Type.Object({ ...WebhookAnswer.properties, dueNow }),
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller, params } = request;
        const count = await resume(transaction, caller, params.id);
        const webhook = await knownWebhook(transaction, caller.partnerId, params.id);
        return { ...webhookAnswer(webhook, await databaseNow(transaction)), dueNow: count };
      }),
  });

  route(server, {
    method: 'POST',
    path: '/api/sales-partners/webhooks/:id/retry-failed',
    summary: 'Retry every failed delivery of a webhook now: waiting retries at once, discarded ones by a replay',
    needs: 'ADMIN',
    params: idParams,
    response: Type.Object({
      dueNow,
      replay: Type.Optional({ ...ReplayAnswer, description: 'Sends the discarded deliveries; absent without any' }),
    }),
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller, params } = request;
        const count = await resume(transaction, caller, params.id);
        const now = await databaseNow(transaction);
        const { retentionDays } = config;
        const body = { since: oldestKept(now, retentionDays).toISOString(), states: ['DISCARDED' as const] };
        const order = readOrder(body, { now, retentionDays });
        const events = await readEventRange(transaction, order);
        const wanted = { webhookId: params.id, states: order.states, events };
        const discarded = await countCandidates(transaction, wanted);
        if (discarded === 0) return { dueNow: count };
        return { dueNow: count, replay: await startReplay(transaction, params.id, order, discarded) };
      }),
  });
}

async function resume(transaction: Transaction, { partnerId, by }: Caller, id: number): Promise<number> {
  refuseWhenOff(await lockedWebhook(transaction, partnerId, id));
  await forgetFailures(transaction, id);
  const count = await bringRetriesForward(transaction, id);
  const entry = { subject: 'WEBHOOK', subjectId: id, action: 'RESUMED', details: { dueNow: count } };
  await recordAudit(transaction, { partner: { id: partnerId }, by }, entry);
  transaction.notifyAfterCommit(deliveriesChannel);
  return count;
}
