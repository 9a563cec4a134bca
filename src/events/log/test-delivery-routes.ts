import type { FastifyInstance } from 'fastify';
import type { Sql } from '../../database/connection.ts';
import { databaseNow } from '../../database/database-clock.ts';
import { idempotentTransaction } from '../../http/idempotency.ts';
import { idParams } from '../../http/ids.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { Problem } from '../../problems.ts';
import { version } from '../../version.ts';
import { loadTargets } from '../delivery/target.ts';
import { knownWebhook } from './known-webhook.ts';
import { TrialAnswer, trialAnswer, trialRequest } from './trial.ts';

const userAgent = `Waypost/${version}`;
// A receiver that hangs holds up its own partner's tests, and all tests together never the rest of the API.
const mostAtOnce = { perPartner: 2, inAll: 8 };
const retryAfterSeconds = 15;

export function trialRoutes(server: FastifyInstance, { database, sealer, sender }: Services): void {
  const underWay: number[] = [];

  route(server, {
    method: 'POST',
    path: '/api/sales-partners/webhooks/:id/test',
    summary: 'Send the example of its type to a webhook now, and see what it answers',
    needs: 'ADMIN',
    params: idParams,
    response: TrialAnswer,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async (request) => {
      const { caller, params, log } = request;
      const webhook = await knownWebhook(database.pool, caller.partnerId, params.id);
      const send = async (sql: Sql) => {
        const [target] = await loadTargets(sql, sealer, [webhook.id]);
        if (!target)
          throw new Problem('CONFLICT', { message: 'The partner of this webhook has no valid private key.' });
        const { id, partnerIdentifier } = await nextEvent(sql, webhook.partnerId);
        const event = { id, type: webhook.type, partnerIdentifier };
        const now = await databaseNow(sql);
        const outcome = await sender.send(trialRequest(target, event, { now, userAgent }));
        const { kind, phases } = outcome;
        log.info({ event: 'webhook.tested', webhookId: webhook.id, outcome: kind, tookMs: phases.totalMs });
        return trialAnswer(id, target.url, outcome);
      };
      return withPlace(underWay, caller.partnerId, () =>
        // Without a key there is nothing to write, and no connection is held while the receiver takes its time.
        request.headers['idempotency-key'] === undefined ? send(database.pool) : idempotentTransaction(request, send),
      );
    },
  });
}

async function withPlace<T>(underWay: number[], partnerId: number, work: () => Promise<T>): Promise<T> {
  const own = underWay.filter((id) => id === partnerId).length;
  if (own >= mostAtOnce.perPartner || underWay.length >= mostAtOnce.inAll) {
    throw new Problem('QUOTA_LIMIT_EXCEED', {
      message: 'Too many tests are waiting for their receivers to answer. Try again when they have ended.',
      retryAfterSeconds,
    });
  }
  underWay.push(partnerId);
  try {
    return await work();
  } finally {
    underWay.splice(underWay.indexOf(partnerId), 1);
  }
}

/** As if it were an event of the webhook's own partner, whoever tests it. */
async function nextEvent(sql: Sql, partnerId: number): Promise<{ id: number; partnerIdentifier: string }> {
  const { rows } = await sql.query<{ id: number; partnerIdentifier: string }>(
    `select nextval('event_id') as id, identifier as "partnerIdentifier" from sales_partners where id = $1`,
    [partnerId],
  );
  return rows[0] as { id: number; partnerIdentifier: string };
}
