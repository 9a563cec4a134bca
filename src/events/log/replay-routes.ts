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
import { knownWebhook, lockedWebhook, refuseWhenOff } from './known-webhook.ts';
import { DryRunAnswer, NewReplay, type Replay, ReplayAnswer, readOrder, replayResponse } from './replay.ts';
import { countCandidates } from './replay-candidates.ts';
import {
  countReplays,
  endReplay,
  findReplay,
  listReplays,
  lockReplayUnderWay,
  withdrawUnsent,
} from './replay-store.ts';
import { startReplay } from './start-replay.ts';

const replayParams = Type.Object({ id: Id, replayId: Id });

export function replayRoutes(server: FastifyInstance, { config, database }: Services): void {
  route(server, {
    method: 'POST',
    path: '/api/sales-partners/webhooks/:id/replay',
    summary: 'Send the events of a period once more, at a pace of your choice',
    needs: 'ADMIN',
    params: idParams,
    body: NewReplay,
    response: Type.Union([ReplayAnswer, DryRunAnswer]),
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller, body } = request;
        const { id: webhookId } = request.params;
        await knownWebhook(transaction, caller.partnerId, webhookId);
        const order = readOrder(body, { now: await databaseNow(transaction), retentionDays: config.retentionDays });
        const events = await readEventRange(transaction, order);
        const count = await countCandidates(transaction, { webhookId, states: order.states, events });
        if (body.dryRun) return { dryRun: true as const, count };
        refuseWhenOff(await lockedWebhook(transaction, caller.partnerId, webhookId));
        return startReplay(transaction, webhookId, order, count);
      }),
  });

  route(server, {
    method: 'GET',
    path: '/api/sales-partners/webhooks/:id/replays',
    summary: 'The replays of a webhook, the newest first',
    needs: 'ADMIN',
    params: idParams,
    query: Type.Object(pageQuery),
    response: pageSchema('replays', ReplayAnswer),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params, query }) => {
      const { id } = await knownWebhook(database.pool, caller.partnerId, params.id);
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
    summary: 'A replay and how far it has come',
    needs: 'ADMIN',
    params: replayParams,
    response: ReplayAnswer,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id, replayId } }) => {
      await knownWebhook(database.pool, caller.partnerId, id);
      return replayResponse(found(replayId, await findReplay(database.pool, id, replayId)));
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/sales-partners/webhooks/:id/replays/:replayId/cancel',
    summary: 'Stop a replay: what it has not sent yet is not sent',
    needs: 'ADMIN',
    params: replayParams,
    response: ReplayAnswer,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { id: webhookId, replayId } = request.params;
        await knownWebhook(transaction, request.caller.partnerId, webhookId);
        const replay = found(replayId, await findReplay(transaction, webhookId, replayId));
        if (await lockReplayUnderWay(transaction, replayId)) {
          await endReplay(transaction, replayId, 'CANCELLED');
          await withdrawUnsent(transaction, replayId);
        } else if (replay.status !== 'CANCELLED') throw alreadyOver(replay);
        return replayResponse(found(replayId, await findReplay(transaction, webhookId, replayId)));
      }),
  });
}

function found(id: number, replay: Replay | undefined): Replay {
  if (!replay) throw notFound(`replay ${id}`);
  return replay;
}

const alreadyOver = ({ id }: Replay) =>
  new Problem('CONFLICT', { message: `Replay ${id} is over already: there is nothing to cancel.` });
