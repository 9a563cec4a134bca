import type { Conditions } from '../../database/conditions.ts';
import type { Sql } from '../../database/connection.ts';
import type { AuditRecord } from './audit.ts';

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
