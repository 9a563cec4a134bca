import type { Sql } from '../../../database/connection.ts';
import { Problem } from '../../../problems.ts';

/** Attempts without a delay. Each further attempt doubles the delay. */
const freeAttempts = 5;
/** Limits how long an attacker can lock a user out, and still allows only 1,440 guesses per day. */
const maxDelaySeconds = 60;

/** Counts the attempt before the password is checked, so that concurrent attempts count too. */
export async function countLoginAttempt(sql: Sql, account: string): Promise<void> {
  const { rowCount } = await sql.query({
    name: 'count-login-attempt',
    text: `insert into login_attempts as known (account, attempts) values ($1, 1)
           on conflict (account) do update set
             attempts = case when known.last_attempt < now() - interval '1 day' then 1 else known.attempts + 1 end,
             last_attempt = now(),
             blocked_until = now() + make_interval(secs =>
               case when known.attempts < $2::integer or known.last_attempt < now() - interval '1 day' then 0
                    else least($3::integer, 2 ^ least(known.attempts + 1 - $2::integer, 16)) end)
           where known.blocked_until <= now()`,
    values: [account, freeAttempts, maxDelaySeconds],
  });
  if (rowCount === 1) return;
  throw await tooManyAttempts(sql, account);
}

async function tooManyAttempts(sql: Sql, account: string): Promise<Problem> {
  const { rows } = await sql.query<{ seconds: number }>(
    `select ceil(extract(epoch from blocked_until - now()))::integer as seconds from login_attempts where account = $1`,
    [account],
  );
  const retryAfterSeconds = Math.max(1, rows[0]?.seconds ?? 1);
  return new Problem('QUOTA_LIMIT_EXCEED', {
    message: `Too many sign-in attempts with this e-mail address. Try again in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  });
}

export async function clearLoginAttempts(sql: Sql, account: string): Promise<void> {
  await sql.query({
    name: 'clear-login-attempts',
    text: 'delete from login_attempts where account = $1',
    values: [account],
  });
}

export async function deleteOldLoginAttempts(sql: Sql): Promise<number> {
  const { rowCount } = await sql.query("delete from login_attempts where last_attempt < now() - interval '1 day'");
  return rowCount ?? 0;
}
