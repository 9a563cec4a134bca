import type { Sql } from '../../../database/connection.ts';
import { hashKey } from '../../../events/signing/keys.ts';
import type { KnownKey } from '../../../http/authenticate.ts';
import { planFeaturesOf } from '../partners/plan-features.ts';
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
