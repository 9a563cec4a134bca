import type { Sql } from '../../../database/connection.ts';
import { hashKey } from '../../../events/signing/keys.ts';
import type { KnownKey } from '../../../http/authenticate.ts';
import { Problem } from '../../../problems.ts';
import { planFeaturesOf } from '../partners/partner-keys.ts';
import { callerUser, type User } from './user.ts';
import { userColumns } from './user-store.ts';

/** Maximum age of a session, regardless of use. */
const maxDays = 30;

/** A session is extended after this fraction of its lifetime, to avoid a write per request. */
const extendAfter = 0.05;

const end = (lifetime: string) =>
  `least(now() + make_interval(secs => ${lifetime}), date_created + make_interval(days => ${maxDays}))`;

export async function insertSession(
  sql: Sql,
  { token, userId, lifetimeSeconds }: { token: string; userId: number; lifetimeSeconds: number },
): Promise<Date> {
  const { rows } = await sql.query<{ expiresAt: Date }>(
    `insert into user_sessions (token_hash, user_id, expires_at)
     select $1, $2, ${end('$3')} from (select now() as date_created) as fresh
     returning expires_at as "expiresAt"`,
    [hashKey(token), userId, lifetimeSeconds],
  );
  return rows[0]?.expiresAt as Date;
}

interface SessionRow extends User {
  expiresAt: Date;
  partnerId: number;
  partnerIdentifier: string;
  apiVersion: string;
  planFeatures: string[];
  isDue: boolean;
}

/** Finds the user of a token and extends the session. */
export async function findSession(sql: Sql, token: string, lifetimeSeconds: number): Promise<KnownKey | undefined> {
  const { rows } = await sql.query<SessionRow>({
    name: 'find-session',
    text: `select ${userColumns('users')}, session.expires_at as "expiresAt", partner.id as "partnerId",
             partner.identifier as "partnerIdentifier", partner.api_version as "apiVersion",
             ${planFeaturesOf('partner.id')} as "planFeatures",
             session.last_used < now() - make_interval(secs => $2::float8 * ${extendAfter}) as "isDue"
           from user_sessions session
           join users on users.id = session.user_id and users.status = 'ACTIVE'
           join sales_partners partner on partner.id = users.partner_id and partner.status = 'ACTIVE'
           where session.token_hash = $1 and session.expires_at > now()`,
    values: [hashKey(token), lifetimeSeconds],
  });
  const [found] = rows;
  if (!found) return undefined;
  const { partnerId, partnerIdentifier, apiVersion, planFeatures, isDue } = found;
  const user = callerUser(found);
  const expiresAt = (isDue && (await extendSession(sql, token, lifetimeSeconds))) || found.expiresAt;
  return {
    caller: {
      partnerId,
      partnerIdentifier,
      apiVersion,
      planFeatures,
      countedAs: `user ${user.id}`,
      by: user.email,
      user,
    },
    expiresAt,
  };
}

async function extendSession(sql: Sql, token: string, lifetimeSeconds: number): Promise<Date | undefined> {
  const { rows } = await sql.query<{ expiresAt: Date }>(
    `update user_sessions set last_used = now(), expires_at = ${end('$2')}
     where token_hash = $1 and expires_at > now() returning expires_at as "expiresAt"`,
    [hashKey(token), lifetimeSeconds],
  );
  return rows[0]?.expiresAt;
}

export async function endSession(sql: Sql, token: string): Promise<boolean> {
  const { rowCount } = await sql.query('delete from user_sessions where token_hash = $1', [hashKey(token)]);
  return rowCount === 1;
}

/** Ends all sessions of a user except the one with `keepToken`. */
export async function endSessions(sql: Sql, userId: number, keepToken?: string): Promise<number> {
  const { rowCount } = await sql.query(
    'delete from user_sessions where user_id = $1 and token_hash is distinct from $2',
    [userId, keepToken === undefined ? null : hashKey(keepToken)],
  );
  return rowCount ?? 0;
}

export async function deleteExpiredSessions(sql: Sql): Promise<number> {
  const { rowCount } = await sql.query('delete from user_sessions where expires_at <= now()');
  return rowCount ?? 0;
}

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
