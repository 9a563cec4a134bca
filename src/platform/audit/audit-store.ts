import type { Conditions } from '../../database/conditions.ts';
import type { Sql } from '../../database/connection.ts';
import { countUpTo } from '../../database/count-up-to.ts';
import { addBehind, orderBy } from '../../database/list-order.ts';
import type { AuditRecord } from './audit.ts';

export async function listAudit(
  sql: Sql,
  conditions: Conditions,
  page: { offset: number; limit: number; after?: number; descending: boolean },
): Promise<AuditRecord[]> {
  const order = { by: 'happened_at', id: 'id', descending: page.descending };
  addBehind(conditions, order, 'audit_trail', page.after);
  const { rows } = await sql.query<AuditRecord>(
    `select id, happened_at as "happenedAt", actor, action, subject, subject_id as "subjectId", details
     from audit_trail ${conditions.where}
     order by ${orderBy(order)} offset ${conditions.value(page.offset)} limit ${conditions.value(page.limit)}`,
    conditions.values,
  );
  return rows;
}

/** How many there are, if not more than the limit. */
export function countAudit(sql: Sql, conditions: Conditions, limit: number): Promise<number> {
  return countUpTo(sql, 'audit_trail', conditions, limit);
}
