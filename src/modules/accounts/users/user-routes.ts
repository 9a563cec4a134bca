import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { features, requirePermission, roles } from '../../../http/access.ts';
import { accessTokenOf, type Caller } from '../../../http/authenticate.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { idParams } from '../../../http/ids.ts';
import { isDescending, longList, longListSchema, orderQuery, pageQuery } from '../../../http/pagination.ts';
import { createLimiter } from '../../../http/rate-limits.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { requireChange } from '../../../http/validation.ts';
import { invalidField, missingField, Problem, requireFound } from '../../../problems.ts';
import { actorOf } from '../actor.ts';
import { changeUser, createUser, removeUser } from './change-user.ts';
import {
  defaultFeatures,
  featureDescriptions,
  hashPassword,
  NewUser,
  type NewUserValues,
  ownChange,
  UserChange,
  UserResponse,
  userResponse,
  userStatuses,
  valuesOf,
  verifyPassword,
} from './user.ts';
import { countUsers, findPasswordHash, findUser, listUsers, userSorts } from './user-store.ts';

export function userRoutes(server: FastifyInstance, { database }: Services): void {
  const limitCreations = createLimiter(server, {
    most: 10,
    seconds: 10,
    actions: 'users created',
    by: ({ caller }) => String(caller?.partnerId),
  });
  const limitPasswordChecks = createLimiter(server, {
    most: 10,
    seconds: 60,
    actions: 'password attempts',
    by: ({ caller }) => String(caller?.user?.id),
  });

  const requireUserById = async ({ partnerId }: Caller, id: number) =>
    requireFound(await findUser(database.pool, partnerId, id), `user ${id}`);

  route(server, {
    method: 'GET',
    path: '/api/users',
    summary: 'List the users of the calling partner',
    query: Type.Object({
      ...pageQuery,
      role: Type.Optional(Type.Array(Type.Enum([...roles]))),
      status: Type.Optional(Type.Array(Type.Enum([...userStatuses]))),
      query: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name or the e-mail address' })),
      sort: Type.Enum([...userSorts], { default: 'id' }),
      order: orderQuery('ASC'),
    }),
    needs: 'ADMIN',
    response: longListSchema('users', UserResponse),
    handler: async ({ caller, query }) => {
      const [counted, found] = await Promise.all([
        countUsers(database.pool, caller.partnerId, query),
        listUsers(database.pool, caller.partnerId, query, { ...query, descending: isDescending(query.order) }),
      ]);
      return longList('users', query, counted, found, userResponse);
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/users',
    summary: "Create a user. A user without a password signs in with the partner's private key.",
    body: NewUser,
    needs: 'ADMIN',
    response: UserResponse,
    handler: async (request) => {
      await limitCreations(request);
      const { caller, body } = request;
      const passwordHash = body.password === undefined ? null : await hashPassword(body.password);
      return idempotentTransaction(request, async (transaction) => {
        const values = valuesOf(body) as NewUserValues;
        return userResponse(await createUser(transaction, actorOf(caller), values, passwordHash));
      });
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/users/:id',
    summary: 'Get a user. Administrators can get any user of the partner, other users only themselves.',
    params: idParams,
    response: UserResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) => {
      if (caller.user?.id !== id) requirePermission(caller, 'ADMIN');
      return userResponse(await requireUserById(caller, id));
    },
  });

  for (const method of ['PATCH', 'PUT'] as const) {
    route(server, {
      method,
      path: '/api/users/:id',
      summary:
        'Change a user. Administrators can change any user of the partner, other users their own name, language and password.',
      params: idParams,
      body: UserChange,
      response: UserResponse,
      problems: ['NOT_FOUND', 'CONFLICT'],
      handler: async (request) => {
        const { caller, params } = request;
        const isSelf = caller.user?.id === params.id;
        if (!isSelf) requirePermission(caller, 'ADMIN');
        const mayChangeAll = !isSelf || caller.user?.role === 'ADMIN';
        const body = mayChangeAll ? request.body : ownChange(request.body, await requireUserById(caller, params.id));
        const { currentPassword, ...change } = body;
        requireChange(change, UserChange.properties, request.warnings);
        if (isSelf && body.password !== undefined) {
          await limitPasswordChecks(request);
          await checkCurrentPassword(caller, currentPassword);
        }
        const passwordHash = body.password === undefined ? undefined : await hashPassword(body.password);
        const ownToken = isSelf ? accessTokenOf(request) : undefined;
        const user = await database.transaction((transaction) =>
          changeUser(transaction, actorOf(caller), params.id, { values: valuesOf(change), passwordHash, ownToken }),
        );
        return userResponse(user);
      },
    });
  }

  /** An open session alone must not allow taking over the account. */
  async function checkCurrentPassword({ user }: Caller, given: string | undefined): Promise<void> {
    const passwordHash = user ? await findPasswordHash(database.pool, user.id) : null;
    if (passwordHash === null) {
      throw new Problem('FORBIDDEN', {
        message: "You have no password yet. Ask an administrator to set one, or set it with the partner's private key.",
      });
    }
    if (given === undefined) {
      throw missingField('currentPassword', 'currentPassword is required to change your password.');
    }
    if (await verifyPassword(given, passwordHash)) return;
    throw invalidField('currentPassword', 'wrong', 'currentPassword does not match your current password.');
  }

  route(server, {
    method: 'DELETE',
    path: '/api/users/:id',
    summary: 'Delete a user and end their sessions',
    params: idParams,
    needs: 'ADMIN',
    response: Type.Object({ success: Type.Boolean() }),
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ caller, params: { id } }) => {
      await database.transaction((transaction) => removeUser(transaction, actorOf(caller), id));
      return { success: true };
    },
  });

  const featureNames = Type.Array(Type.Enum([...features]));
  const Features = Type.Object({
    features: Type.Array(Type.Object({ name: Type.Enum([...features]), description: Type.String() })),
    defaultFeatures: Type.Object(Object.fromEntries(roles.map((role) => [role, featureNames])), {
      description: 'Features per role of users without an explicit feature list',
    }),
  });

  route(server, {
    method: 'GET',
    path: '/api/features',
    summary: 'List the features of users and the default features of each role',
    response: Features,
    handler: async (): Promise<Static<typeof Features>> => ({
      features: features.map((name) => ({ name, description: featureDescriptions[name] })),
      defaultFeatures: Object.fromEntries(roles.map((role) => [role, [...defaultFeatures[role]]])),
    }),
  });
}
