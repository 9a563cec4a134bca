import { addCursorCondition, type Conditions, orderBy } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countMatching } from '../../../database/counting.ts';
import type { AuditRecord } from './audit.ts';

export async function listAudit(
  sql: Sql,
  conditions: Conditions,
  page: { offset: number; limit: number; after?: number; descending: boolean },
): Promise<AuditRecord[]> {
  const order = { by: 'happened_at', id: 'id', descending: page.descending };
  addCursorCondition(conditions, order, 'audit_trail', page.after);
  const { rows } = await sql.query<AuditRecord>(
    `select id, happened_at as "happenedAt", actor, action, subject, subject_id as "subjectId", details
     from audit_trail ${conditions.where}
     order by ${orderBy(order)} offset ${conditions.value(page.offset)} limit ${conditions.value(page.limit)}`,
    conditions.values,
  );
  return rows;
}

export function countAudit(sql: Sql, conditions: Conditions): Promise<Counted> {
  return countMatching(sql, 'audit_trail', conditions);
}
