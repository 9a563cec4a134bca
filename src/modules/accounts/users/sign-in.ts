import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import { newCredential } from '../../../http/credential.ts';
import { Id } from '../../../http/ids.ts';
import { missingField, Problem } from '../../../problems.ts';
import { findKey } from '../partners/partner-keys.ts';
import { ExistingPassword, verifyPassword } from './password.ts';
import { insertSession } from './session-store.ts';
import { UserResponse } from './user.ts';
import { findLoginCandidates, type LoginCandidate, recordLogin } from './user-store.ts';

export const LoginBody = Type.Object({
  email: Type.Optional(Type.String({ maxLength: 254 })),
  userId: Type.Optional(Id),
  password: Type.Optional(ExistingPassword),
  privateKey: Type.Optional(
    Type.String({
      maxLength: 512,
      writeOnly: true,
      description: "Private key of the user's partner, here or in the header",
    }),
  ),
  session: Type.Optional(
    Type.Enum(['token', 'cookie'], {
      default: 'token',
      description: '"token" returns an accessToken; "cookie" sets a session cookie instead, for the console',
    }),
  ),
});

export const LoginResponse = Type.Object({
  accessToken: Type.Optional(
    Type.String({
      description: 'Send it in the header accessToken or as Authorization: Bearer. Absent with session "cookie".',
    }),
  ),
  access_token: Type.Optional(Type.String({ description: 'Same value as accessToken' })),
  expires: Type.String({ description: 'When the session expires. Requests extend it.' }),
  user: UserResponse,
});

type Login =
  | { with: 'password'; email: string; password: string }
  | { with: 'privateKey'; who: { email: string } | { userId: number }; privateKey: string };

/** A password takes precedence: clients may send their private key in the header of every request. */
export function readLogin(body: Static<typeof LoginBody>, headerKey: string | undefined): Login {
  const { email, userId, password, privateKey = headerKey } = body;
  if (email !== undefined && password !== undefined) return { with: 'password', email: email.trim(), password };
  if (privateKey !== undefined && email !== undefined) {
    return { with: 'privateKey', who: { email: email.trim() }, privateKey };
  }
  if (privateKey !== undefined && userId !== undefined) return { with: 'privateKey', who: { userId }, privateKey };
  const field = email === undefined && userId === undefined ? 'email' : 'password';
  const message = `${field} is required. Sign in with email and password, email and privateKey, or userId and privateKey.`;
  throw missingField(field, message);
}

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

/** Undefined if the user was deleted, deactivated or given another password since the lookup. */
export async function startSession(
  transaction: Transaction,
  { user: { id }, partner, passwordHash }: LoginCandidate,
  { lifetimeSeconds, by }: { lifetimeSeconds: number; by: Login['with'] },
) {
  const user = await recordLogin(transaction, id, passwordHash);
  if (!user) return undefined;
  const accessToken = await newCredential(transaction, 'accessToken');
  const expires = await insertSession(transaction, { token: accessToken, userId: id, lifetimeSeconds });
  await recordAudit(transaction, { partner, by: user.email }, 'LOGGED_IN', 'USER', id, { by });
  return { accessToken, expires, user };
}
