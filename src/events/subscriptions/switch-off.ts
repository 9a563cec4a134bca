import type { Sql } from '../../database/connection.ts';

/** A receiver that answers 410 wants no more: its webhook is switched off and says why. */
export async function switchOffGone(sql: Sql, webhookIds: readonly number[]): Promise<void> {
  await sql.query(
    `update webhooks
     set enabled = false, disabled_reason = 'The receiver answered 410 Gone.', revision = revision + 1,
       last_updated = now()
     where id = any ($1) and enabled`,
    [webhookIds],
  );
}
