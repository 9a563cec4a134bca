import type { Sql } from '../../database/connection.ts';
import { notFound, Problem } from '../../problems.ts';
import type { Webhook } from '../subscriptions/webhook.ts';
import { findWebhook, lockWebhook } from '../subscriptions/webhook-store.ts';

/** Throws NOT_FOUND if the caller cannot see the webhook. */
export const requireWebhook = (sql: Sql, callerId: number, id: number): Promise<Webhook> =>
  orNotFound(id, findWebhook(sql, callerId, id));

/** The same, locked until the transaction ends. */
export const requireLockedWebhook = (sql: Sql, callerId: number, id: number): Promise<Webhook> =>
  orNotFound(id, lockWebhook(sql, callerId, id));

async function orNotFound(id: number, look: Promise<Webhook | undefined>): Promise<Webhook> {
  const webhook = await look;
  if (!webhook) throw notFound(`webhook ${id}`);
  return webhook;
}

export function requireEnabled({ id, enabled }: Pick<Webhook, 'id' | 'enabled'>): void {
  if (enabled) return;
  throw new Problem('CONFLICT', {
    message: `Webhook ${id} is disabled. Enable it first: PATCH /api/sales-partners/webhooks/${id} with {"enabled": true}.`,
  });
}
