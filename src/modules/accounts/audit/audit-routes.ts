import type { FastifyInstance } from 'fastify';
import { expressionBuilder } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { countRows } from '../../../database/counting.ts';
import { afterRow, db, inOrder, raw } from '../../../database/query-builder.ts';
import type { DB, JsonObject } from '../../../database/schema.ts';
import { Id } from '../../../http/ids.ts';
import {
  isDescending,
  longList,
  longListSchema,
  orderQuery,
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

const AuditFilter = Type.Object({
  subject: Type.Optional(Type.String({ maxLength: 100, description: 'Type of the changed record, such as LOCATION' })),
  subjectId: Type.Optional(Id),
  actor: Type.Optional(Type.String({ maxLength: 320, description: 'An e-mail address, PRIVATE_TOKEN or SYSTEM' })),
});

const happenedAt = raw`${expressionBuilder<DB, 'auditTrail'>().ref('happenedAt')}`;

const ofPartner = (sql: Sql, partnerId: number) => db(sql).selectFrom('auditTrail').where('partnerId', '=', partnerId);

function filterEntries(
  all: ReturnType<typeof ofPartner>,
  { since, until, subject, subjectId, actor }: Period & Static<typeof AuditFilter>,
) {
  let entries = all.where((eb) => eb.between('happenedAt', since, until));
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
    query: Type.Object({
      ...pageQuery,
      ...periodQuery,
      ...AuditFilter.properties,
      order: orderQuery('DESC', 'DESC lists the newest first'),
    }),
    needs: 'ADMIN',
    response: longListSchema('entries', AuditResponse),
    handler: async ({ caller, query }, sql) => {
      const { partnerId } = caller;
      const all = ofPartner(sql, partnerId);
      const rows = filterEntries(all, { ...query, ...readPeriod(query) });
      const order = { by: happenedAt, descending: isDescending(query.order) };
      const page = query.after === undefined ? rows : rows.where(afterRow('auditTrail', order, partnerId, query.after));
      const selected = inOrder(page.select(fieldNames(AuditResponse)), order)
        .offset(query.offset)
        .limit(query.max + 1)
        .$narrowType<{ details: JsonObject }>();
      const [counted, found] = await Promise.all([
        countRows(sql, { table: 'auditTrail', partnerId, rows, all }),
        rejectDeletedCursor(query.after, selected.execute(), (id) =>
          all.select('id').where('id', '=', id).executeTakeFirst(),
        ),
      ]);
      return longList('entries', query, counted, found, (record) => recordResponse(AuditResponse, record));
    },
  });
}
