import type { Sql } from '../../database/connection.ts';

/** A receiver that answers 410 wants no more: its webhook is switched off and says why, unless it has moved meanwhile. */
export async function switchOffGone(sql: Sql, gone: readonly { webhookId: number; url: string }[]): Promise<void> {
  await sql.query(
    `update webhooks
     set enabled = false, disabled_reason = 'The receiver answered 410 Gone.', revision = revision + 1,
       last_updated = now()
     from unnest($1::bigint[], $2::text[]) as gone (webhook_id, url)
     where id = gone.webhook_id and push_url = gone.url and enabled`,
    [gone.map(({ webhookId }) => webhookId), gone.map(({ url }) => url)],
  );
}
