import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { requirePermission, requireUser } from '../../../http/access.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import { accessTokenOf, privateKeyOf } from '../../../http/authenticate.ts';
import { newCredential } from '../../../http/credential.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { Id, idParams } from '../../../http/ids.ts';
import { createLimiter } from '../../../http/rate-limits.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { clearSessionCookie, requireConsoleOrigin, setSessionCookie } from '../../../http/session-cookie.ts';
import { missingField, Problem, requireFound } from '../../../problems.ts';
import { actorOf } from '../actor.ts';
import { findKey } from '../partners/partner-keys.ts';
import {
  clearLoginAttempts,
  countLoginAttempt,
  endSession,
  endSessions,
  findSession,
  insertSession,
  uncountLoginAttempt,
} from './session-store.ts';
import { ExistingPassword, UserResponse, userResponse, verifyPassword } from './user.ts';
import {
  findLoginCandidates,
  findUser,
  type LoginCandidate,
  lowerCaseOf,
  recordLogin,
  usersChannel,
} from './user-store.ts';

const LoginBody = Type.Object({
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

const LoginResponse = Type.Object({
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
function readLogin(body: Static<typeof LoginBody>, headerKey: string | undefined): Login {
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

/**
 * `candidate` is undefined if the e-mail address, the password or the user's status does not allow the sign-in.
 * `isShared`: users of other partners have the same e-mail address.
 */
async function authenticateLogin(sql: Sql, login: Login) {
  if (login.with === 'password') {
    const candidates = await findLoginCandidates(sql, { email: login.email });
    const hashes = candidates.length > 0 ? candidates.map(({ passwordHash }) => passwordHash) : [undefined];
    const matches = await Promise.all(hashes.map((hash) => verifyPassword(login.password, hash)));
    const candidate = candidates.find(({ mayLogIn }, index) => mayLogIn && matches[index]);
    return { candidate, isShared: candidates.length > 1 };
  }
  const key = await findKey(sql, login.privateKey);
  if (!key) throw new Problem('BAD_PRIVATE_KEY');
  const [candidate] = await findLoginCandidates(sql, login.who, key.caller.partnerId);
  return { candidate: candidate?.mayLogIn ? candidate : undefined, isShared: false };
}

/** The same message for every reason, so that it does not reveal which accounts exist. */
const loginRefused = (login: Login): Problem =>
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

export function sessionRoutes(server: FastifyInstance, { config, database, sealer }: Services): void {
  const limitLogins = createLimiter(server, { most: 10, seconds: 60, actions: 'sign-ins from this IP address' });
  /** By the lower case of the database, which finds the users: that of JavaScript differs for some letters. */
  const accountOf = async (email: string) =>
    sealer.digest(await lowerCaseOf(database.pool, email)).toString('base64url');

  route(server, {
    method: 'POST',
    path: '/api/users/login',
    summary: 'Sign in with email and password, email and privateKey, or userId and privateKey',
    access: 'anonymous',
    body: LoginBody,
    response: LoginResponse,
    handler: async (request) => {
      await limitLogins(request);
      const inCookie = request.body.session === 'cookie';
      if (inCookie) requireConsoleOrigin(request);
      const login = readLogin(request.body, privateKeyOf(request));
      const account = login.with === 'password' ? await accountOf(login.email) : undefined;
      if (account) await countLoginAttempt(database.pool, account);
      const { candidate, isShared } = await authenticateLogin(database.pool, login);
      const session =
        candidate &&
        (await database.transaction((transaction) =>
          startSession(transaction, candidate, { lifetimeSeconds: config.sessionSeconds, by: login.with }),
        ));
      if (!session) throw loginRefused(login);
      // A partner must not be able to clear the attempts against users of other partners.
      if (account) await (isShared ? uncountLoginAttempt : clearLoginAttempts)(database.pool, account);
      const signedIn = await findSession(database.pool, session.accessToken, config.sessionSeconds);
      request.chooseVersion(signedIn?.caller);
      if (inCookie) setSessionCookie(request, session.accessToken);
      return {
        ...(!inCookie && { accessToken: session.accessToken, access_token: session.accessToken }),
        expires: session.expires.toISOString(),
        user: userResponse(session.user),
      };
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/users/logout',
    userOnly: true,
    summary: 'Sign out: end the session of the access token',
    response: Type.Object({ success: Type.Boolean() }),
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const user = requireUser(request.caller);
        await endSession(transaction, accessTokenOf(request) ?? '');
        await recordAudit(transaction, actorOf(request.caller), 'LOGGED_OUT', 'USER', user.id);
        transaction.notifyAfterCommit(usersChannel);
        clearSessionCookie(request);
        return { success: true };
      }),
  });

  route(server, {
    method: 'GET',
    path: '/api/users/me',
    userOnly: true,
    summary: 'Get the user of the access token',
    response: UserResponse,
    handler: async ({ caller }) => {
      const user = await findUser(database.pool, caller.partnerId, requireUser(caller).id);
      if (!user) throw new Problem('BAD_ACCESS_TOKEN');
      return userResponse(user);
    },
  });

  route(server, {
    method: 'DELETE',
    path: '/api/users/:id/all-sessions',
    summary: 'End all sessions of a user. Administrators can end the sessions of any user of the partner.',
    params: idParams,
    response: Type.Object({ success: Type.Boolean(), endedSessions: Type.Integer() }),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) => {
      if (caller.user?.id !== id) requirePermission(caller, 'ADMIN');
      return database.transaction(async (transaction) => {
        requireFound(await findUser(transaction, caller.partnerId, id), `user ${id}`);
        const endedSessions = await endSessions(transaction, id);
        await recordAudit(transaction, actorOf(caller), 'SESSIONS_ENDED', 'USER', id, { endedSessions });
        transaction.notifyAfterCommit(usersChannel);
        return { success: true, endedSessions };
      });
    },
  });
}
