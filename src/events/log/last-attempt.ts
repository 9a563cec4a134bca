import type { AttemptSummary } from './attempt.ts';
import { attemptedSince } from './delivery-sources.ts';

/** SQL for the last attempt that was not superseded, for a row with event_id and recorded_at. */
export const lastAttempt = (row: string, webhookId: string, columns: string) => `
  select ${columns} from attempts
  where event_id = ${row}.event_id and webhook_id = ${webhookId} and verdict <> 'SUPERSEDED'
    and ${attemptedSince(`${row}.recorded_at`)}
  order by number desc limit 1`;

// Only the explanation of a redirect needs the headers.
export const summaryColumns = `number, started_at as "startedAt", outcome, status_code as "statusCode", reason, detail,
  total_ms as "totalMs", case when status_code between 300 and 399 then response_headers end as headers, verdict`;

/** Columns of a left join. */
export type NullableAttemptSummary = AttemptSummary | { [Column in keyof AttemptSummary]: null };

export function toAttemptSummary(row: NullableAttemptSummary): AttemptSummary | null {
  if (row.number === null) return null;
  const { number, startedAt, outcome, statusCode, headers, reason, detail, totalMs, verdict } = row;
  return { number, startedAt, outcome, statusCode, headers, reason, detail, totalMs, verdict };
}
