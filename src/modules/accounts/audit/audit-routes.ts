import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countRows } from '../../../database/counting.ts';
import { afterRow, db, inOrder, raw } from '../../../database/query-builder.ts';
import type { JsonObject } from '../../../database/schema.ts';
import { Id } from '../../../http/ids.ts';
import {
  isDescending,
  longList,
  longListSchema,
  orderQuery,
  type PageQuery,
  pageQuery,
  rejectDeletedCursor,
} from '../../../http/pagination.ts';
import { type Period, periodQuery, readPeriod } from '../../../http/period.ts';
import { fieldNames, recordResponse } from '../../../http/record-response.ts';
import { route } from '../../../http/route.ts';

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
  subject?: string;
  subjectId?: number;
  actor?: string;
}

const ofPartner = (sql: Sql, partnerId: number) => db(sql).selectFrom('auditTrail').where('partnerId', '=', partnerId);

function matching(sql: Sql, partnerId: number, { since, until, subject, subjectId, actor }: AuditFilter) {
  let entries = ofPartner(sql, partnerId).where((eb) => eb.between('happenedAt', since, until));
  if (subject !== undefined) entries = entries.where('subject', '=', subject.toUpperCase());
  if (subjectId !== undefined) entries = entries.where('subjectId', '=', subjectId);
  if (actor !== undefined) entries = entries.where('actor', '=', actor);
  return entries;
}

export function auditRoutes(server: FastifyInstance): void {
  route(server, {
    method: 'GET',
    reads: 'replica',
    path: '/api/audit-trail',
    summary: 'List audit log entries, newest first by default',
    query: Type.Object({ ...pageQuery, ...auditFilter, order: orderQuery('DESC', 'DESC lists the newest first') }),
    needs: 'ADMIN',
    response: longListSchema('entries', AuditResponse),
    handler: async ({ caller, query }, sql) => {
      const { partnerId } = caller;
      const filter = { ...query, ...readPeriod(query) };
      const [counted, found] = await Promise.all([
        countAudit(sql, partnerId, filter),
        listAudit(sql, partnerId, filter, { ...query, descending: isDescending(query.order) }),
      ]);
      return longList('entries', query, counted, found, (record) => recordResponse(AuditResponse, record));
    },
  });
}

const countAudit = (sql: Sql, partnerId: number, filter: AuditFilter): Promise<Counted> =>
  countRows(sql, {
    table: 'auditTrail',
    partnerId,
    rows: matching(sql, partnerId, filter),
    all: ofPartner(sql, partnerId),
  });

function listAudit(sql: Sql, partnerId: number, filter: AuditFilter, page: PageQuery & { descending: boolean }) {
  const order = { by: raw.ref('happenedAt'), descending: page.descending };
  let entries = matching(sql, partnerId, filter);
  if (page.after !== undefined) entries = entries.where(afterRow('auditTrail', order, partnerId, page.after));
  const found = inOrder(entries.select(fieldNames(AuditResponse)), order)
    .offset(page.offset)
    .limit(page.max + 1)
    .$narrowType<{ details: JsonObject }>();
  return rejectDeletedCursor(page.after, found.execute(), (id) =>
    ofPartner(sql, partnerId).select('id').where('id', '=', id).executeTakeFirst(),
  );
}
