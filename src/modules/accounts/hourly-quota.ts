import type { Sql } from '../../database/connection.ts';
import { databaseNow } from '../../database/database-clock.ts';
import { db, raw } from '../../database/query-builder.ts';
import { defineStatement, run } from '../../database/statement.ts';
import { Problem } from '../../problems.ts';

const hourSeconds = 3600;

interface Quota {
  /** The counted resource, in the plural: it is part of the error message. */
  resource: string;
  /** The consumer: a partner or an IP address. */
  consumer: string;
  /** Maximum per clock hour. */
  limit: number;
}

const consume = defineStatement<{ used: number }>({
  name: 'consume-hourly-quota',
  text: `insert into hourly_uses as uses (what, whom, hour, used)
         select $1, $2, date_trunc('hour', $5::timestamptz), $3::integer where $3::integer <= $4::integer
         on conflict (what, whom, hour) do update set used = uses.used + excluded.used
           where uses.used + excluded.used <= $4::integer
         returning used`,
  columns: { used: 'int4' },
});

/** Consumes `count` units or throws and consumes none. The quota is shared by all processes. */
export async function consumeHourlyQuota(
  sql: Sql,
  { resource, consumer, limit }: Quota,
  count = 1,
  at?: Date,
): Promise<void> {
  const now = at ?? (await databaseNow(sql));
  const [consumed] = await run(sql, consume, [resource, consumer, count, limit, now]);
  if (consumed) return;
  const retryAfterSeconds = hourSeconds - (Math.floor(now.getTime() / 1000) % hourSeconds);
  throw new Problem('QUOTA_LIMIT_EXCEED', {
    message: `The limit of ${limit} ${resource} per hour is reached. Try again in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  });
}

export async function deletePastQuotaHours(sql: Sql): Promise<number> {
  const { numDeletedRows } = await db(sql)
    .deleteFrom('hourlyUses')
    .where('hour', '<', raw<Date>`now() - interval '2 hours'`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
