import type { Sql } from '../../database/connection.ts';
import { databaseNow } from '../../database/database-clock.ts';
import { Problem } from '../../problems.ts';

const hourSeconds = 3600;

interface Quota {
  /** What is counted, in the plural, as a refusal calls it. */
  what: string;
  /** Who uses it: a partner, an address. */
  whom: string;
  /** In an hour of the clock. */
  most: number;
}

/** Takes so many of what is left of this hour, or refuses and takes none. It holds for all processes together. */
export async function consumeHourlyQuota(sql: Sql, { what, whom, most }: Quota, count = 1, at?: Date): Promise<void> {
  const now = at ?? (await databaseNow(sql));
  const { rowCount } = await sql.query({
    name: 'take-of-hour',
    text: `insert into hourly_uses as uses (what, whom, hour, used)
           select $1, $2, date_trunc('hour', $5::timestamptz), $3::integer where $3::integer <= $4::integer
           on conflict (what, whom, hour) do update set used = uses.used + excluded.used
             where uses.used + excluded.used <= $4::integer`,
    values: [what, whom, count, most, now],
  });
  if (rowCount === 1) return;
  const retryAfterSeconds = hourSeconds - (Math.floor(now.getTime() / 1000) % hourSeconds);
  throw new Problem('QUOTA_LIMIT_EXCEED', {
    message: `More than ${most} ${what} within an hour. Go on in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  });
}

/** Hours that have passed count for nothing. */
export async function deletePastQuotaHours(sql: Sql): Promise<number> {
  const { rowCount } = await sql.query("delete from hourly_uses where hour < now() - interval '2 hours'");
  return rowCount ?? 0;
}
