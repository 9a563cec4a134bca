import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { databaseNow } from '../../database/database-clock.ts';
import { idempotentTransaction } from '../../http/idempotency.ts';
import { Id, idParams } from '../../http/ids.ts';
import { pageOf, pageQuery, pageSchema } from '../../http/pagination.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { notFound, Problem } from '../../problems.ts';
import { readEventRange } from './event-range.ts';
import { DryRunResponse, NewReplay, type Replay, ReplayResponse, readReplayRequest, replayResponse } from './replay.ts';
import { countCandidates } from './replay-candidates.ts';
import { countReplays, deleteUnsent, endReplay, findReplay, listReplays, lockRunningReplay } from './replay-store.ts';
import { requireEnabled, requireLockedWebhook, requireWebhook } from './require-webhook.ts';
import { startReplay } from './start-replay.ts';

const replayParams = Type.Object({ id: Id, replayId: Id });

export function replayRoutes(server: FastifyInstance, { config, database }: Services): void {
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
        const replayRequest = readReplayRequest(body, {
          now: await databaseNow(transaction),
          retentionDays: config.retentionDays,
        });
        const events = await readEventRange(transaction, replayRequest);
        const count = await countCandidates(transaction, { webhookId, states: replayRequest.states, events });
        if (body.dryRun) return { dryRun: true as const, count };
        requireEnabled(await requireLockedWebhook(transaction, caller.partnerId, webhookId));
        return startReplay(transaction, webhookId, replayRequest, count);
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
      return replayResponse(found(replayId, await findReplay(database.pool, id, replayId)));
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
        const replay = found(replayId, await findReplay(transaction, webhookId, replayId));
        if (await lockRunningReplay(transaction, replayId)) {
          await endReplay(transaction, replayId, 'CANCELLED');
          await deleteUnsent(transaction, replayId);
        } else if (replay.status !== 'CANCELLED') throw alreadyFinished(replay);
        return replayResponse(found(replayId, await findReplay(transaction, webhookId, replayId)));
      }),
  });
}

function found(id: number, replay: Replay | undefined): Replay {
  if (!replay) throw notFound(`replay ${id}`);
  return replay;
}

const alreadyFinished = ({ id }: Replay) =>
  new Problem('CONFLICT', { message: `Replay ${id} has already finished and cannot be cancelled.` });
