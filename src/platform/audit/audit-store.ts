import type { Conditions } from '../../database/conditions.ts';
import type { Sql } from '../../database/connection.ts';
import { countUpTo } from '../../database/count-up-to.ts';
import { behind, orderBy } from '../../database/list-order.ts';
import type { AuditRecord } from './audit.ts';

export async function listAudit(
  sql: Sql,
  conditions: Conditions,
  page: { offset: number; limit: number; after?: number; descending: boolean },
): Promise<AuditRecord[]> {
  const order = { by: 'happened_at', id: 'id', descending: page.descending };
  if (page.after !== undefined) {
    const last = `${conditions.value(page.after)}::bigint`;
    conditions.add(behind(order, last, `(select happened_at from audit_trail where partner_id = $1 and id = ${last})`));
  }
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
