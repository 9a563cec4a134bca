import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { type CallerUser, requirePermission } from '../../../http/access.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import { accessTokenOf, type Caller, privateKeyOf } from '../../../http/authenticate.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { idParams } from '../../../http/ids.ts';
import { createLimiter } from '../../../http/rate-limits.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { clearSessionCookie, requireConsoleOrigin, setSessionCookie } from '../../../http/session-cookie.ts';
import { Problem, requireFound } from '../../../problems.ts';
import { actorOf } from '../actor.ts';
import { clearLoginAttempts, countLoginAttempt, endSession, endSessions } from './session-store.ts';
import { authenticateLogin, LoginBody, LoginResponse, loginRefused, readLogin, startSession } from './sign-in.ts';
import { UserResponse, userResponse } from './user.ts';
import { findUser, usersChannel } from './user-store.ts';

export function sessionRoutes(server: FastifyInstance, { config, database, sealer }: Services): void {
  const limitLogins = createLimiter(server, { most: 10, seconds: 60, what: 'sign-ins from this IP address' });

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
      const account =
        login.with === 'password' ? sealer.digest(login.email.toLowerCase()).toString('base64url') : undefined;
      if (account) await countLoginAttempt(database.pool, account);
      const candidate = await authenticateLogin(database.pool, login);
      const session =
        candidate &&
        (await database.transaction((transaction) =>
          startSession(transaction, candidate, { lifetimeSeconds: config.sessionSeconds, by: login.with }),
        ));
      if (!session) throw loginRefused(login);
      if (account) await clearLoginAttempts(database.pool, account);
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
    summary: 'Sign out: end the session of the access token',
    response: Type.Object({ success: Type.Boolean() }),
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const user = mustBeUser(request.caller);
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
    summary: 'Get the user of the access token',
    response: UserResponse,
    handler: async ({ caller }) => {
      const user = await findUser(database.pool, caller.partnerId, mustBeUser(caller).id);
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

function mustBeUser({ user }: Caller): CallerUser {
  if (user) return user;
  throw new Problem('NOT_AUTHORIZED', {
    message:
      'This endpoint requires an access token. Sign in with POST /api/users/login and send the header "accessToken" without a private key.',
  });
}
