import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { addCursorCondition, Conditions, orderBy } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import { countMatching } from '../../../database/counting.ts';
import { Id } from '../../../http/ids.ts';
import {
  isDescending,
  longList,
  longListSchema,
  orderQuery,
  type PageQuery,
  pageQuery,
} from '../../../http/pagination.ts';
import { type Period, periodQuery, readPeriod } from '../../../http/period.ts';
import { recordResponse } from '../../../http/record-response.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';

interface AuditRecord {
  id: number;
  happenedAt: Date;
  actor: string;
  action: string;
  subject: string;
  subjectId: number | null;
  details: Record<string, unknown>;
}

export const AuditResponse = Type.Object({
  id: Type.Integer(),
  happenedAt: Type.String(),
  actor: Type.String({ description: "A user's e-mail address, PRIVATE_TOKEN or SYSTEM" }),
  action: Type.String(),
  subject: Type.String(),
  subjectId: Type.Optional(Type.Integer()),
  details: Type.Record(Type.String(), Type.Unknown()),
});

const auditFilter = {
  ...periodQuery,
  subject: Type.Optional(Type.String({ maxLength: 100, description: 'Type of the changed record, such as LOCATION' })),
  subjectId: Type.Optional(Id),
  actor: Type.Optional(Type.String({ maxLength: 320, description: 'An e-mail address, PRIVATE_TOKEN or SYSTEM' })),
};

interface AuditFilter extends Period {
  partnerId: number;
  subject?: string;
  subjectId?: number;
  actor?: string;
}

function auditConditions({ partnerId, since, until, subject, subjectId, actor }: AuditFilter): Conditions {
  const conditions = new Conditions(partnerId, since, until);
  conditions.add('partner_id = $1').add('happened_at between $2 and $3');
  if (subject !== undefined) conditions.add(`subject = ${conditions.value(subject.toUpperCase())}`);
  if (subjectId !== undefined) conditions.add(`subject_id = ${conditions.value(subjectId)}`);
  if (actor !== undefined) conditions.add(`actor = ${conditions.value(actor)}`);
  return conditions;
}

export function auditRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/audit-trail',
    summary: 'List audit log entries, newest first by default',
    query: Type.Object({ ...pageQuery, ...auditFilter, order: orderQuery('DESC', 'DESC lists the newest first') }),
    needs: 'ADMIN',
    response: longListSchema('entries', AuditResponse),
    handler: async ({ caller, query }) => {
      const filter = { ...query, ...readPeriod(query), partnerId: caller.partnerId };
      const [counted, found] = await Promise.all([
        countMatching(database.pool, 'audit_trail', auditConditions(filter)),
        listAudit(database.pool, auditConditions(filter), { ...query, descending: isDescending(query.order) }),
      ]);
      return longList('entries', query, counted, found, (record) => recordResponse(AuditResponse, record));
    },
  });
}

async function listAudit(
  sql: Sql,
  conditions: Conditions,
  page: PageQuery & { descending: boolean },
): Promise<AuditRecord[]> {
  const order = { by: 'happened_at', id: 'id', descending: page.descending };
  addCursorCondition(conditions, order, 'audit_trail', page.after);
  const { rows } = await sql.query<AuditRecord>(
    `select id, happened_at as "happenedAt", actor, action, subject, subject_id as "subjectId", details
     from audit_trail ${conditions.where}
     order by ${orderBy(order)} offset ${conditions.value(page.offset)} limit ${conditions.value(page.max + 1)}`,
    conditions.values,
  );
  return rows;
}
