import { defineStatement, run } from '../database/statement.ts';
import type { Transaction } from '../database/transaction.ts';

/** An action such as CREATED, and its subject, such as LOCATION 17. */
export interface AuditEntry {
  action: string;
  subject: string;
  /** Absent if the action concerns several records, or a record without an id. */
  subjectId?: number | undefined;
  /** Never contains a password, key or secret. */
  details?: Readonly<Record<string, unknown>> | undefined;
}

const insertEntries = defineStatement({
  name: 'record-audit',
  text: `insert into audit_trail (partner_id, actor, action, subject, subject_id, details)
         select $1, $2, entry.* from unnest($3::text[], $4::text[], $5::bigint[], $6::jsonb[]) as entry`,
});

interface Author {
  partner: { id: number };
  by: string;
}

/** Records an audit entry in the transaction of the change. */
export const recordAudit = (
  transaction: Transaction,
  actor: Author,
  action: string,
  subject: string,
  subjectId?: number,
  details?: AuditEntry['details'],
): Promise<void> => recordAudits(transaction, actor, [{ action, subject, subjectId, details }]);

/** For a record that may belong to a child partner: recorded for its owner and for the partner of the caller. */
export async function recordOwnerAudit(
  transaction: Transaction,
  { partnerId, by }: { partnerId: number; by: string },
  ownerId: number,
  { details, ...entry }: AuditEntry,
): Promise<void> {
  await recordAudits(transaction, { partner: { id: partnerId }, by }, [{ ...entry, details }]);
  if (ownerId === partnerId) return;
  const ofOwner = { ...entry, details: { ...details, callerPartnerId: partnerId } };
  await recordAudits(transaction, { partner: { id: ownerId }, by }, [ofOwner]);
}

/** Records audit entries in one statement. */
export async function recordAudits(
  transaction: Transaction,
  { partner, by }: Author,
  entries: readonly AuditEntry[],
): Promise<void> {
  await run(transaction, insertEntries, [
    partner.id,
    by,
    entries.map(({ action }) => action),
    entries.map(({ subject }) => subject),
    entries.map(({ subjectId }) => subjectId ?? null),
    entries.map(({ details }) => JSON.stringify(details ?? {})),
  ]);
}
