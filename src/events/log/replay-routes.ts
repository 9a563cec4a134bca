import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../database/connection.ts';
import { databaseNow } from '../../database/database-clock.ts';
import type { Transaction } from '../../database/transaction.ts';
import { recordOwnerAudit } from '../../http/audit-trail.ts';
import type { Caller } from '../../http/authenticate.ts';
import { idempotentTransaction } from '../../http/idempotency.ts';
import { Id, idParams } from '../../http/ids.ts';
import { pageOf, pageQuery, pageSchema } from '../../http/pagination.ts';
import { recordResponse } from '../../http/record-response.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { Problem, requireFound } from '../../problems.ts';
import { deliveriesChannel } from '../outbox/record-event.ts';
import { type Webhook, WebhookResponse, webhookResponse } from '../subscriptions/webhook.ts';
import {
  makeRetriesDue,
  requireEnabled,
  requireLockedWebhook,
  requireWebhook,
  resetFailures,
} from '../subscriptions/webhook-store.ts';
import { readEventRange } from './log-page.ts';
import {
  DryRunResponse,
  NewReplay,
  oldestKept,
  type ReplayRequest,
  ReplayResponse,
  readReplayRequest,
} from './replay.ts';
import { countCandidates } from './replay-candidates.ts';
import {
  countReplays,
  deleteUnsent,
  endReplay,
  findReplay,
  findRunningReplayId,
  insertReplay,
  listReplays,
  lockRunningReplay,
  type Replay,
  replayJob,
} from './replay-store.ts';

const replayParams = Type.Object({ id: Id, replayId: Id });
const DueNow = Type.Integer({ description: 'Number of waiting retries that are due now' });

export function replayRoutes(server: FastifyInstance, { config: { retentionDays }, database }: Services): void {
  route(server, {
    method: 'POST',
    path: '/api/sales-partners/webhooks/:id/replay',
    summary: 'Replay the events of a period at a given rate',
    needs: 'ADMIN',
    params: idParams,
    body: NewReplay,
    response: Type.Union([ReplayResponse, DryRunResponse]),
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller, body } = request;
        const { id: webhookId } = request.params;
        await requireWebhook(transaction, caller.partnerId, webhookId);
        const now = await databaseNow(transaction);
        const replayRequest = readReplayRequest(body, { now, retentionDays });
        const count = await countReplayable(transaction, webhookId, replayRequest);
        if (body.dryRun) return { dryRun: true as const, count };
        const webhook = await requireLockedWebhook(transaction, caller.partnerId, webhookId);
        requireEnabled(webhook);
        return startReplay(transaction, webhook, replayRequest, count);
      }),
  });

  route(server, {
    method: 'GET',
    path: '/api/sales-partners/webhooks/:id/replays',
    summary: 'List replays of a webhook, newest first',
    needs: 'ADMIN',
    params: idParams,
    query: Type.Object(pageQuery),
    response: pageSchema('replays', ReplayResponse),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params, query }) => {
      const { id } = await requireWebhook(database.pool, caller.partnerId, params.id);
      const [count, replays] = await Promise.all([
        countReplays(database.pool, id),
        listReplays(database.pool, id, query),
      ]);
      return pageOf('replays', query, count, replays.map(replayResponse));
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/sales-partners/webhooks/:id/replays/:replayId',
    summary: 'Get a replay with its progress',
    needs: 'ADMIN',
    params: replayParams,
    response: ReplayResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id, replayId } }) => {
      await requireWebhook(database.pool, caller.partnerId, id);
      return replayResponse(await requireReplay(database.pool, id, replayId));
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/sales-partners/webhooks/:id/replays/:replayId/cancel',
    summary: 'Cancel a replay. Deliveries that have not been sent are removed from the queue',
    needs: 'ADMIN',
    params: replayParams,
    response: ReplayResponse,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { id: webhookId, replayId } = request.params;
        await requireWebhook(transaction, request.caller.partnerId, webhookId);
        await requireReplay(transaction, webhookId, replayId);
        if (await lockRunningReplay(transaction, replayId)) {
          await endReplay(transaction, replayId, 'CANCELLED');
          await deleteUnsent(transaction, replayId);
        }
        // After the lock: another request may have cancelled the replay meanwhile.
        const replay = await requireReplay(transaction, webhookId, replayId);
        if (replay.status !== 'CANCELLED') throw alreadyFinished(replay);
        return replayResponse(replay);
      }),
  });

  // For users who have fixed their receiver and do not want to wait for the breaker or the retry schedule.
  route(server, {
    method: 'POST',
    path: '/api/sales-partners/webhooks/:id/resume',
    summary: 'Resume a paused webhook: reset its failures and send its waiting deliveries now',
    needs: 'ADMIN',
    params: idParams,
    response: Type.Object({ ...WebhookResponse.properties, dueNow: DueNow }),
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller, params } = request;
        const { dueNow: count } = await resume(transaction, caller, params.id);
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
      dueNow: DueNow,
      replay: Type.Optional({
        ...ReplayResponse,
        description: 'Replay of the discarded deliveries; absent if there are none',
      }),
    }),
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller, params } = request;
        const { webhook, dueNow: count } = await resume(transaction, caller, params.id);
        const now = await databaseNow(transaction);
        const body = { since: oldestKept(now, retentionDays).toISOString(), states: ['DISCARDED' as const] };
        const replayRequest = readReplayRequest(body, { now, retentionDays });
        const discarded = await countReplayable(transaction, params.id, replayRequest);
        if (discarded === 0) return { dueNow: count };
        return { dueNow: count, replay: await startReplay(transaction, webhook, replayRequest, discarded) };
      }),
  });
}

async function requireReplay(sql: Sql, webhookId: number, id: number): Promise<Replay> {
  return requireFound(await findReplay(sql, webhookId, id), `replay ${id}`);
}

const replayResponse = (replay: Replay): Static<typeof ReplayResponse> =>
  recordResponse(ReplayResponse, { ...replay, progress: progressOf(replay) });

/** A finished replay is at 100 even if some deliveries were sent by other means. */
function progressOf({ status, total, delivered, failed }: Replay): number {
  if (status === 'FINISHED') return 100;
  return Math.min(100, Math.floor((100 * (delivered + failed)) / Math.max(1, total)));
}

const alreadyFinished = ({ id }: Replay) =>
  new Problem('CONFLICT', { message: `Replay ${id} has already finished and cannot be cancelled.` });

async function resume(
  transaction: Transaction,
  caller: Caller,
  id: number,
): Promise<{ webhook: Webhook; dueNow: number }> {
  const webhook = await requireLockedWebhook(transaction, caller.partnerId, id);
  requireEnabled(webhook);
  await resetFailures(transaction, id);
  const dueNow = await makeRetriesDue(transaction, id);
  const entry = { action: 'RESUMED', subject: 'WEBHOOK', subjectId: id, details: { dueNow } };
  await recordOwnerAudit(transaction, caller, webhook.partnerId, entry);
  transaction.notifyAfterCommit(deliveriesChannel);
  return { webhook, dueNow };
}

/** The number of deliveries that a replay would send. */
async function countReplayable(transaction: Transaction, webhookId: number, request: ReplayRequest): Promise<number> {
  const events = await readEventRange(transaction, request);
  return countCandidates(transaction, { webhookId, states: request.states, events });
}

/** The webhook must be locked: two concurrent replays would send events twice. */
async function startReplay(
  transaction: Transaction,
  { id: webhookId, partnerId }: Webhook,
  replayRequest: ReplayRequest,
  count: number,
): Promise<Static<typeof ReplayResponse>> {
  const running = await findRunningReplayId(transaction, webhookId);
  if (running !== undefined) throw alreadyRunning(webhookId, running);
  const id = await insertReplay(transaction, webhookId, replayRequest, count);
  await replayJob.enqueue(transaction, { replayId: id, partnerId });
  return replayResponse(await requireReplay(transaction, webhookId, id));
}

const alreadyRunning = (webhookId: number, replayId: number) =>
  new Problem('CONFLICT', {
    message:
      `Replay ${replayId} of webhook ${webhookId} is still running. Wait until it finishes, or cancel it with ` +
      `POST /api/sales-partners/webhooks/${webhookId}/replays/${replayId}/cancel.`,
  });
