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
import { WebhookResponse, webhookResponse } from '../subscriptions/webhook.ts';
import { makeRetriesDue, resetFailures } from '../subscriptions/webhook-store.ts';
import { readEventRange } from './event-range.ts';
import { oldestKept, ReplayResponse, readReplayRequest } from './replay.ts';
import { countCandidates } from './replay-candidates.ts';
import { requireEnabled, requireLockedWebhook, requireWebhook } from './require-webhook.ts';
import { startReplay } from './start-replay.ts';

const dueNow = Type.Integer({ description: 'Number of waiting retries that are due now' });

/** For users who have fixed their receiver and do not want to wait for the breaker or the retry schedule. */
export function resumeRoutes(server: FastifyInstance, { config }: Services): void {
  route(server, {
    method: 'POST',
    path: '/api/sales-partners/webhooks/:id/resume',
    summary: 'Resume a paused webhook: reset its failures and send its waiting deliveries now',
    needs: 'ADMIN',
    params: idParams,
    response: Type.Object({ ...WebhookResponse.properties, dueNow }),
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller, params } = request;
        const count = await resume(transaction, caller, params.id);
        const webhook = await requireWebhook(transaction, caller.partnerId, params.id);
        return { ...webhookResponse(webhook, await databaseNow(transaction)), dueNow: count };
      }),
  });

  route(server, {
    method: 'POST',
    path: '/api/sales-partners/webhooks/:id/retry-failed',
    summary: 'Retry all failed deliveries of a webhook: waiting retries now, discarded deliveries by a replay',
    needs: 'ADMIN',
    params: idParams,
    response: Type.Object({
      dueNow,
      replay: Type.Optional({
        ...ReplayResponse,
        description: 'Replay of the discarded deliveries; absent if there are none',
      }),
    }),
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller, params } = request;
        const count = await resume(transaction, caller, params.id);
        const now = await databaseNow(transaction);
        const { retentionDays } = config;
        const body = { since: oldestKept(now, retentionDays).toISOString(), states: ['DISCARDED' as const] };
        const replayRequest = readReplayRequest(body, { now, retentionDays });
        const events = await readEventRange(transaction, replayRequest);
        const selection = { webhookId: params.id, states: replayRequest.states, events };
        const discarded = await countCandidates(transaction, selection);
        if (discarded === 0) return { dueNow: count };
        return { dueNow: count, replay: await startReplay(transaction, params.id, replayRequest, discarded) };
      }),
  });
}

async function resume(transaction: Transaction, { partnerId, by }: Caller, id: number): Promise<number> {
  requireEnabled(await requireLockedWebhook(transaction, partnerId, id));
  await resetFailures(transaction, id);
  const count = await makeRetriesDue(transaction, id);
  const entry = { subject: 'WEBHOOK', subjectId: id, action: 'RESUMED', details: { dueNow: count } };
  await recordAudit(transaction, { partner: { id: partnerId }, by }, entry);
  transaction.notifyAfterCommit(deliveriesChannel);
  return count;
}
