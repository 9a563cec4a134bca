import type { Conditions } from '../../database/conditions.ts';
import type { Sql } from '../../database/connection.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { Actor } from '../actor.ts';
import type { AuditEntry, AuditRecord } from './audit.ts';

/** Writes down who did what, in the transaction that does it. Several entries are one statement. */
export async function recordAudit(
  transaction: Transaction,
  actor: Actor,
  given: AuditEntry | readonly AuditEntry[],
): Promise<void> {
  const entries = [given].flat();
  await transaction.query({
    name: 'record-audit',
    text: `insert into audit_trail (partner_id, actor, action, subject, subject_id, details)
           select $1, $2, entry.* from unnest($3::text[], $4::text[], $5::bigint[], $6::jsonb[]) as entry`,
    values: [
      actor.partner.id,
      actor.by,
      entries.map(({ action }) => action),
      entries.map(({ subject }) => subject),
      entries.map(({ subjectId }) => subjectId ?? null),
      entries.map(({ details }) => JSON.stringify(details ?? {})),
    ],
  });
}

/** The newest first. */
export async function listAudit(
  sql: Sql,
  conditions: Conditions,
  page: { offset: number; limit: number },
): Promise<AuditRecord[]> {
  const { rows } = await sql.query<AuditRecord>(
    `select id, happened_at as "happenedAt", actor, action, subject, subject_id as "subjectId", details
     from audit_trail ${conditions.where}
     order by happened_at desc, id desc offset ${conditions.value(page.offset)} limit ${conditions.value(page.limit)}`,
    conditions.values,
  );
  return rows;
}

/** How many there are, if not more than the limit. */
export async function countAudit(sql: Sql, conditions: Conditions, limit: number): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `select count(*) from (
       select from audit_trail ${conditions.where} limit ${conditions.value(limit)}
     ) as matching`,
    conditions.values,
  );
  return rows[0]?.count ?? 0;
}
