import type { AttemptGist } from './attempt.ts';
import { triedSince } from './delivery-sources.ts';

/** SQL for the last try that counts of the delivery in a row with event_id and recorded_at. */
export const lastAttempt = (row: string, webhookId: string, columns: string) => `
  select ${columns} from attempts
  where event_id = ${row}.event_id and webhook_id = ${webhookId} and verdict <> 'SUPERSEDED'
    and ${triedSince(`${row}.recorded_at`)}
  order by number desc limit 1`;

// Only a redirect's headers have a part in its explanation.
export const gistColumns = `number, started_at as "startedAt", outcome, status_code as "statusCode", reason, detail,
  total_ms as "totalMs", case when status_code between 300 and 399 then response_headers end as headers, verdict`;

/** The columns behind a left join. */
export type MaybeGist = AttemptGist | { [Column in keyof AttemptGist]: null };

export function gistOf(row: MaybeGist): AttemptGist | null {
  if (row.number === null) return null;
  const { number, startedAt, outcome, statusCode, headers, reason, detail, totalMs, verdict } = row;
  return { number, startedAt, outcome, statusCode, headers, reason, detail, totalMs, verdict };
}
