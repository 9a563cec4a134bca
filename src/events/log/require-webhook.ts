import type { Sql } from '../../database/connection.ts';
import { notFound, Problem } from '../../problems.ts';
import type { Webhook } from '../subscriptions/webhook.ts';
import { findWebhook, lockWebhook } from '../subscriptions/webhook-store.ts';

/** The webhook as the caller may see it. */
export const knownWebhook = (sql: Sql, callerId: number, id: number): Promise<Webhook> =>
  orNotFound(id, findWebhook(sql, callerId, id));

/** The same, as it stays until the transaction ends. */
export const lockedWebhook = (sql: Sql, callerId: number, id: number): Promise<Webhook> =>
  orNotFound(id, lockWebhook(sql, callerId, id));

async function orNotFound(id: number, look: Promise<Webhook | undefined>): Promise<Webhook> {
  const webhook = await look;
  if (!webhook) throw notFound(`webhook ${id}`);
  return webhook;
}

export function refuseWhenOff({ id, enabled }: Pick<Webhook, 'id' | 'enabled'>): void {
  if (enabled) return;
  throw new Problem('CONFLICT', {
    message: `Webhook ${id} is off. Enable it first: PATCH /api/sales-partners/webhooks/${id} with {"enabled": true}.`,
  });
}
