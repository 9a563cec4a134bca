import type { Sql } from '../../../database/connection.ts';
import type { Business, Report, ReportStatus, Result } from './report.ts';

const columns = `id, partner_id as "partnerId", name, street_and_no as "streetAndNo", zip, city, country,
  category_id as "categoryId", phone, website, status, score, error, date_created as "dateCreated",
  date_finished as "dateFinished", expires_at as "expiresAt"`;

const resultColumns = `directory_type as "directoryType", status, listing_url as "listingUrl", claim, duplicates, fields,
  matching_fields as "matchingFields", comparable_fields as "comparableFields", message`;

interface ReportOwner {
  partnerId: number;
  tokenHash: Buffer;
  /** Days until the report expires. */
  days: number;
}

export async function insertReport(
  sql: Sql,
  { partnerId, tokenHash, days }: ReportOwner,
  business: Business,
): Promise<number> {
  const { name, streetAndNo, zip, city, country, categoryId, phone, website } = business;
  const { rows } = await sql.query<{ id: number }>(
    `insert into near_me_reports (partner_id, token_hash, expires_at, name, street_and_no, zip, city, country, category_id,
       phone, website)
     values ($1, $2, now() + make_interval(days => $3), $4, $5, $6, $7, $8, $9, $10, $11) returning id`,
    [partnerId, tokenHash, days, name, streetAndNo, zip, city, country, categoryId, phone, website],
  );
  return rows[0]?.id as number;
}

/** Directories to query, in display order. */
export async function insertPending(sql: Sql, reportId: number, directoryTypes: readonly string[]): Promise<void> {
  await sql.query(
    `insert into near_me_results (report_id, directory_type, position)
     select $1, type, position from unnest($2::text[]) with ordinality as wanted (type, position)`,
    [reportId, directoryTypes],
  );
}

export async function findReport(sql: Sql, id: number, tokenHash: Buffer): Promise<Report | undefined> {
  return readReport(sql, 'id = $1 and token_hash = $2 and expires_at > now()', [id, tokenHash]);
}

/** Without a token, for the job. */
export const findReportById = (sql: Sql, id: number): Promise<Report | undefined> => readReport(sql, 'id = $1', [id]);

async function readReport(sql: Sql, condition: string, values: unknown[]): Promise<Report | undefined> {
  const { rows } = await sql.query<Omit<Report, 'results' | 'pending'>>(
    `select ${columns} from near_me_reports where ${condition}`,
    values,
  );
  const [report] = rows;
  if (!report) return undefined;
  const { rows: results } = await sql.query<Omit<Result, 'status'> & { status: Result['status'] | 'PENDING' }>({
    name: 'near-me-results',
    text: `select ${resultColumns} from near_me_results where report_id = $1 order by position`,
    values: [report.id],
  });
  return {
    ...report,
    results: results.filter((result): result is Result => result.status !== 'PENDING'),
    pending: results.filter(({ status }) => status === 'PENDING').map(({ directoryType }) => directoryType),
  };
}

/** The first result wins. */
export async function recordResult(sql: Sql, reportId: number, result: Result): Promise<void> {
  await sql.query(
    `update near_me_results set status = $3, listing_url = $4, claim = $5, duplicates = $6, fields = $7,
       matching_fields = $8, comparable_fields = $9, message = $10
     where report_id = $1 and directory_type = $2 and status = 'PENDING'`,
    [
      reportId,
      result.directoryType,
      result.status,
      result.listingUrl,
      result.claim,
      result.duplicates,
      JSON.stringify(result.fields),
      result.matchingFields,
      result.comparableFields,
      result.message,
    ],
  );
}

export async function markReportCompleted(
  sql: Sql,
  id: number,
  { status, score, error }: { status: Exclude<ReportStatus, 'RUNNING'>; score: number | null; error: string | null },
): Promise<void> {
  await sql.query(
    `update near_me_reports set status = $2, score = $3, error = $4, date_finished = now()
     where id = $1 and status = 'RUNNING'`,
    [id, status, score, error],
  );
}

/** Fails reports whose job crashed or never completed. */
export async function failStalledReports(sql: Sql, olderThanSeconds: number, error: string): Promise<number> {
  const { rowCount } = await sql.query(
    `update near_me_reports set status = 'FAILED', error = $2, date_finished = now()
     where status = 'RUNNING' and date_created < now() - make_interval(secs => $1)`,
    [olderThanSeconds, error],
  );
  return rowCount ?? 0;
}

export async function deleteExpiredReports(sql: Sql, limit: number): Promise<number> {
  const { rowCount } = await sql.query(
    `delete from near_me_reports where id in (
       select id from near_me_reports where expires_at <= now() order by expires_at limit $1 for update skip locked)`,
    [limit],
  );
  return rowCount ?? 0;
}
