import type { Conditions } from '../../database/conditions.ts';
import type { Sql } from '../../database/connection.ts';
import { type Counted, countMatching } from '../../database/counting.ts';
import type { UpdateResult, UpdateStatus } from './listing.ts';

/** Result of one submission attempt. */
export interface SubmissionRecord {
  id: number;
  submittedAt: Date;
  result: UpdateResult;
  updateStatus: UpdateStatus | null;
  messages: string[];
}

export async function insertSubmission(
  sql: Sql,
  listingId: number,
  { result, updateStatus, messages }: Omit<SubmissionRecord, 'id' | 'submittedAt'>,
): Promise<void> {
  await sql.query({
    name: 'insert-submission',
    text: 'insert into listing_submissions (listing_id, result, update_status, messages) values ($1, $2, $3, $4)',
    values: [listingId, result, updateStatus, messages],
  });
}

/** Newest first. */
export async function listSubmissions(
  sql: Sql,
  conditions: Conditions,
  page: { offset: number; limit: number },
): Promise<SubmissionRecord[]> {
  const { rows } = await sql.query<SubmissionRecord>(
    `select id, submitted_at as "submittedAt", result, update_status as "updateStatus", messages
     from listing_submissions ${conditions.where}
     order by id desc offset ${conditions.value(page.offset)} limit ${conditions.value(page.limit)}`,
    conditions.values,
  );
  return rows;
}

export function countSubmissions(sql: Sql, conditions: Conditions): Promise<Counted> {
  return countMatching(sql, 'listing_submissions', conditions, 'listing_id = $1');
}
