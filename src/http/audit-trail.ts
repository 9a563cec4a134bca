import type { Transaction } from '../database/transaction.ts';

/** What somebody did, such as CREATED, and to what, such as LOCATION 17. */
export interface AuditEntry {
  action: string;
  subject: string;
  /** Absent when it is about more than one, or about none that has a number. */
  subjectId?: number;
  /** What else a reader of the trail wants to know; never a password, key or secret. */
  details?: Readonly<Record<string, unknown>>;
}

/** Writes down who did what, in the transaction that does it. Several entries are one statement. */
export async function recordAudit(
  transaction: Transaction,
  { partner, by }: { partner: { id: number }; by: string },
  given: AuditEntry | readonly AuditEntry[],
): Promise<void> {
  const entries = [given].flat();
  await transaction.query({
    name: 'record-audit',
    text: `insert into audit_trail (partner_id, actor, action, subject, subject_id, details)
           select $1, $2, entry.* from unnest($3::text[], $4::text[], $5::bigint[], $6::jsonb[]) as entry`,
    values: [
      partner.id,
      by,
      entries.map(({ action }) => action),
      entries.map(({ subject }) => subject),
      entries.map(({ subjectId }) => subjectId ?? null),
      entries.map(({ details }) => JSON.stringify(details ?? {})),
    ],
  });
}
