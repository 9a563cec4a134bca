import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import { Problem } from '../../../problems.ts';
import { findKey } from '../partners/partner-keys.ts';
import { verifyPassword } from './password.ts';
import { type Login, newAccessToken } from './session.ts';
import { insertSession } from './session-store.ts';
import type { User } from './user.ts';
import { findLoginCandidates, type LoginCandidate, recordLogin } from './user-store.ts';

/** Undefined if the e-mail address, the password or the user's status does not allow the sign-in. */
export async function authenticateLogin(sql: Sql, login: Login): Promise<LoginCandidate | undefined> {
  if (login.with === 'password') {
    const candidates = await findLoginCandidates(sql, { email: login.email });
    const hashes = candidates.length > 0 ? candidates.map(({ passwordHash }) => passwordHash) : [undefined];
    const matches = await Promise.all(hashes.map((hash) => verifyPassword(login.password, hash)));
    return candidates.find(({ mayLogIn }, index) => mayLogIn && matches[index]);
  }
  const key = await findKey(sql, login.privateKey);
  if (!key) throw new Problem('BAD_PRIVATE_KEY');
  const [candidate] = await findLoginCandidates(sql, login.who, key.caller.partnerId);
  return candidate?.mayLogIn ? candidate : undefined;
}

/** The same message for every reason, so that it does not reveal which accounts exist. */
export const loginRefused = (login: Login): Problem =>
  new Problem('NOT_AUTHORIZED', {
    message:
      login.with === 'password'
        ? 'The e-mail address or the password is wrong, or the user is not active.'
        : 'The partner of this private key has no active user with this email or userId.',
  });

export interface Session {
  accessToken: string;
  expires: Date;
  user: User;
}

/** Undefined if the user was deleted, deactivated or given another password since the lookup. */
export async function startSession(
  transaction: Transaction,
  { user: { id }, partner, passwordHash }: LoginCandidate,
  { lifetimeSeconds, by }: { lifetimeSeconds: number; by: Login['with'] },
): Promise<Session | undefined> {
  const user = await recordLogin(transaction, id, passwordHash);
  if (!user) return undefined;
  const accessToken = newAccessToken();
  const expires = await insertSession(transaction, { token: accessToken, userId: id, lifetimeSeconds });
  await recordAudit(
    transaction,
    { partner, by: user.email },
    { action: 'LOGGED_IN', subject: 'USER', subjectId: id, details: { by } },
  );
  return { accessToken, expires, user };
}
