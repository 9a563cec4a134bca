import type { Sql } from '../../../database/connection.ts';
import { notMoving } from '../../../database/partner-moves.ts';
import { db, raw } from '../../../database/query-builder.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import type { Business, Report, ReportStatus, Result } from './report.ts';

/** `days`: until the report expires. */
export async function insertReport(
  sql: Sql,
  { partnerId, tokenHash, days }: { partnerId: number; tokenHash: Buffer; days: number },
  business: Business,
): Promise<number> {
  const { id } = await db(sql)
    .insertInto('nearMeReports')
    .values({ partnerId, tokenHash, expiresAt: raw`now() + make_interval(days => ${days})`, ...business })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Directories to query, in display order. */
export async function insertPending(sql: Sql, reportId: number, directoryTypes: readonly string[]): Promise<void> {
  await run(sql, insertPendingResults, [reportId, directoryTypes]);
}

const insertPendingResults = defineStatement({
  name: 'near-me-insert-pending',
  text: `insert into near_me_results (report_id, directory_type, position)
         select $1, type, position from unnest($2::text[]) with ordinality as wanted (type, position)`,
});

export async function findReport(sql: Sql, id: number, tokenHash: Buffer): Promise<Report | undefined> {
  const report = await reportWithId(sql, id)
    .where('tokenHash', '=', tokenHash)
    .where('expiresAt', '>', raw<Date>`now()`)
    .executeTakeFirst();
  return report && withResults(sql, report);
}

/** Without a token, for the job. */
export async function findReportById(sql: Sql, id: number): Promise<Report | undefined> {
  const report = await reportWithId(sql, id).executeTakeFirst();
  return report && withResults(sql, report);
}

const reportWithId = (sql: Sql, id: number) =>
  db(sql)
    .selectFrom('nearMeReports')
    .select(['id', 'partnerId', 'name', 'streetAndNo', 'zip', 'city', 'country', 'categoryId', 'phone', 'website'])
    .select(['status', 'score', 'error', 'dateCreated', 'dateFinished', 'expiresAt'])
    .where('id', '=', id)
    .$narrowType<Pick<Report, 'status'>>();

async function withResults(sql: Sql, report: Omit<Report, 'results' | 'pending'>): Promise<Report> {
  const results = await run(sql, resultsOf, [report.id]);
  return {
    ...report,
    results: results.filter((result): result is Result => result.status !== 'PENDING'),
    pending: results.filter(({ status }) => status === 'PENDING').map(({ directoryType }) => directoryType),
  };
}

const resultsOf = defineStatement<Omit<Result, 'status'> & { status: Result['status'] | 'PENDING' }>({
  name: 'near-me-results',
  text: `select directory_type, status, listing_url, claim, duplicates, fields, matching_fields, comparable_fields, message
         from near_me_results where report_id = $1 order by position`,
  columns: {
    directoryType: 'text',
    status: 'text',
    listingUrl: 'text',
    claim: 'text',
    duplicates: 'int4',
    fields: 'jsonb',
    matchingFields: 'int4',
    comparableFields: 'int4',
    message: 'text',
  },
});

/** The first result wins. */
export async function recordResult(sql: Sql, reportId: number, result: Result): Promise<void> {
  const { directoryType, fields, ...values } = result;
  await db(sql)
    .updateTable('nearMeResults')
    .set({ ...values, fields: JSON.stringify(fields) })
    .where('reportId', '=', reportId)
    .where('directoryType', '=', directoryType)
    .where('status', '=', 'PENDING')
    .execute();
}

export async function markReportCompleted(
  sql: Sql,
  id: number,
  { status, score, error }: { status: Exclude<ReportStatus, 'RUNNING'>; score: number | null; error: string | null },
): Promise<void> {
  await db(sql)
    .updateTable('nearMeReports')
    .set({ status, score, error, dateFinished: raw`now()` })
    .where('id', '=', id)
    .where('status', '=', 'RUNNING')
    .execute();
}

/** Fails reports whose job crashed or never completed. */
export async function failStalledReports(sql: Sql, olderThanSeconds: number, error: string): Promise<number> {
  const { numUpdatedRows } = await db(sql)
    .updateTable('nearMeReports')
    .set({ status: 'FAILED', error, dateFinished: raw`now()` })
    .where('status', '=', 'RUNNING')
    .where('dateCreated', '<', raw<Date>`now() - make_interval(secs => ${olderThanSeconds})`)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

export async function deleteExpiredReports(sql: Sql, limit: number): Promise<number> {
  const { numDeletedRows } = await db(sql)
    .deleteFrom('nearMeReports')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('nearMeReports')
        .select('id')
        .where('expiresAt', '<=', raw<Date>`now()`)
        .where(notMoving('partner_id'))
        .orderBy('expiresAt')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
