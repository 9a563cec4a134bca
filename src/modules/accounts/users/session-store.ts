import type { Expression } from 'kysely';
import type { Sql } from '../../../database/connection.ts';
import { db, raw } from '../../../database/query-builder.ts';
import { defineStatement, run, selectionOf } from '../../../database/statement.ts';
import { hashKey } from '../../../events/signing/keys.ts';
import type { KnownKey } from '../../../http/authenticate.ts';
import { Problem } from '../../../problems.ts';
import { type PartnerFacts, partnerFacts } from '../partners/partner-keys.ts';
import { callerUser, type User } from './user.ts';
import { userColumns } from './user-store.ts';

/** Maximum age of a session, regardless of use. */
const maxDays = 30;

/** A session is extended after this fraction of its lifetime, to avoid a write per request. */
const extendAfter = 0.05;

const end = (lifetimeSeconds: number, dateCreated: Expression<Date>) =>
  raw<Date>`least(now() + make_interval(secs => ${lifetimeSeconds}), ${dateCreated} + make_interval(days => ${maxDays}))`;

export async function insertSession(
  sql: Sql,
  { token, userId, lifetimeSeconds }: { token: string; userId: number; lifetimeSeconds: number },
): Promise<Date> {
  const { expiresAt } = await db(sql)
    .insertInto('userSessions')
    .values({ tokenHash: hashKey(token), userId, expiresAt: end(lifetimeSeconds, raw<Date>`now()`) })
    .returning('expiresAt')
    .executeTakeFirstOrThrow();
  return expiresAt;
}

const sessionOfToken = defineStatement<User & PartnerFacts & { expiresAt: Date; isDue: boolean }>({
  name: 'find-session',
  text: `select ${selectionOf(userColumns, 'users')}, session.expires_at, ${partnerFacts.text},
           session.last_used < now() - make_interval(secs => $2::float8 * ${extendAfter}) as is_due
         from user_sessions session
         join users on users.id = session.user_id and users.status = 'ACTIVE'
         join sales_partners partner on partner.id = users.partner_id and partner.status = 'ACTIVE'
         where session.token_hash = $1 and session.expires_at > now()`,
  columns: { ...userColumns, expiresAt: 'timestamptz', ...partnerFacts.columns, isDue: 'bool' },
});

/** Finds the user of a token and extends the session. */
export async function findSession(sql: Sql, token: string, lifetimeSeconds: number): Promise<KnownKey | undefined> {
  const [found] = await run(sql, sessionOfToken, [hashKey(token), lifetimeSeconds]);
  if (!found) return undefined;
  const { partnerId, partnerIdentifier, apiVersion, planFeatures, isDue } = found;
  const user = callerUser(found);
  const expiresAt = (isDue && (await extendSession(sql, token, lifetimeSeconds))) || found.expiresAt;
  const facts = { partnerId, partnerIdentifier, apiVersion, planFeatures };
  return { caller: { ...facts, countedAs: `user ${user.id}`, by: user.email, user }, expiresAt };
}

async function extendSession(sql: Sql, token: string, lifetimeSeconds: number): Promise<Date | undefined> {
  const session = await db(sql)
    .updateTable('userSessions')
    .set('lastUsed', raw`now()`)
    .set('expiresAt', ({ ref }) => end(lifetimeSeconds, ref('dateCreated')))
    .where('tokenHash', '=', hashKey(token))
    .where('expiresAt', '>', raw<Date>`now()`)
    .returning('expiresAt')
    .executeTakeFirst();
  return session?.expiresAt;
}

export async function endSession(sql: Sql, token: string): Promise<void> {
  await db(sql).deleteFrom('userSessions').where('tokenHash', '=', hashKey(token)).execute();
}

/** Ends all sessions of a user except the one with `keepToken`. */
export async function endSessions(sql: Sql, userId: number, keepToken?: string): Promise<number> {
  let sessions = db(sql).deleteFrom('userSessions').where('userId', '=', userId);
  if (keepToken !== undefined) sessions = sessions.where('tokenHash', '<>', hashKey(keepToken));
  const { numDeletedRows } = await sessions.executeTakeFirst();
  return Number(numDeletedRows);
}

export async function deleteExpiredSessions(sql: Sql): Promise<number> {
  const { numDeletedRows } = await db(sql)
    .deleteFrom('userSessions')
    .where('expiresAt', '<=', raw<Date>`now()`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Attempts without a delay. Each further attempt doubles the delay. */
const freeAttempts = 5;
/** Limits how long an attacker can lock a user out, and still allows only 1,440 guesses per day. */
const maxDelaySeconds = 60;

const countAttempt = defineStatement<{ attempts: number }>({
  name: 'count-login-attempt',
  text: `insert into login_attempts as known (account, attempts) values ($1, 1)
         on conflict (account) do update set
           attempts = case when known.last_attempt < now() - interval '1 day' then 1 else known.attempts + 1 end,
           last_attempt = now(),
           blocked_until = now() + make_interval(secs =>
             case when known.attempts < $2::integer or known.last_attempt < now() - interval '1 day' then 0
                  else least($3::integer, 2 ^ least(known.attempts + 1 - $2::integer, 16)) end)
         where known.blocked_until <= now()
         returning attempts`,
  columns: { attempts: 'int4' },
});

/** Counts the attempt before the password is checked, so that concurrent attempts count too. */
export async function countLoginAttempt(sql: Sql, account: string): Promise<void> {
  const [counted] = await run(sql, countAttempt, [account, freeAttempts, maxDelaySeconds]);
  if (!counted) throw await tooManyAttempts(sql, account);
}

async function tooManyAttempts(sql: Sql, account: string): Promise<Problem> {
  const blocked = await db(sql)
    .selectFrom('loginAttempts')
    .select((eb) => raw<number>`ceil(extract(epoch from ${eb.ref('blockedUntil')} - now()))::integer`.as('seconds'))
    .where('account', '=', account)
    .executeTakeFirst();
  const retryAfterSeconds = Math.max(1, blocked?.seconds ?? 1);
  return new Problem('QUOTA_LIMIT_EXCEED', {
    message: `Too many sign-in attempts with this e-mail address. Try again in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  });
}

export async function clearLoginAttempts(sql: Sql, account: string): Promise<void> {
  await db(sql).deleteFrom('loginAttempts').where('account', '=', account).execute();
}

/** Undoes the count of one attempt. Its delay was its own, because blocked attempts are not counted. */
export async function uncountLoginAttempt(sql: Sql, account: string): Promise<void> {
  await db(sql)
    .updateTable('loginAttempts')
    .set(({ eb }) => ({ attempts: eb('attempts', '-', 1), blockedUntil: raw<Date>`now()` }))
    .where('account', '=', account)
    .execute();
}

export async function deleteOldLoginAttempts(sql: Sql): Promise<void> {
  await db(sql).deleteFrom('loginAttempts').where('lastAttempt', '<', raw<Date>`now() - interval '1 day'`).execute();
}
