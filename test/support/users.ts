import { randomBytes } from 'node:crypto';
import type { Feature, Role } from '../../src/http/access.ts';
import { createUser } from '../../src/modules/accounts/users/change-user.ts';
import { startSession } from '../../src/modules/accounts/users/session-routes.ts';
import { type FieldGroup, hashPassword, type User } from '../../src/modules/accounts/users/user.ts';
import { findLoginCandidates } from '../../src/modules/accounts/users/user-store.ts';
import type { TestApi, TestPartner } from './api.ts';

export interface TestUser {
  user: User;
  accessToken: string;
  call: TestPartner['call'];
}

interface UserOptions {
  role: Role;
  email?: string;
  name?: string;
  password?: string;
  features?: Feature[];
  fieldGroups?: FieldGroup[];
  businessIds?: number[];
  locationIds?: number[];
}

/** Creates a user and signs them in, bypassing the rate limits of the API. */
export async function addUser(api: TestApi, { partner }: TestPartner, options: UserOptions): Promise<TestUser> {
  const { password, ...values } = options;
  const email = values.email ?? `user-${randomBytes(6).toString('hex')}@example.com`;
  const passwordHash = password === undefined ? null : await hashPassword(password);
  const actor = { partner, by: 'PRIVATE_TOKEN' };
  await api.database.transaction((sql) => createUser(sql, actor, { ...values, email }, passwordHash));
  return signIn(api, email);
}

/** Starts another session of a user. */
export async function signIn(api: TestApi, email: string): Promise<TestUser> {
  const [candidate] = (await findLoginCandidates(api.database.pool, { email })).slice(-1);
  if (!candidate) throw new Error(`user ${email} not found`);
  const lifetimeSeconds = api.services.config.sessionSeconds;
  const session = await api.database.transaction((sql) =>
    startSession(sql, candidate, { lifetimeSeconds, by: 'password' }),
  );
  if (!session) throw new Error(`${email} cannot sign in`);
  const { user, accessToken } = session;
  const call: TestUser['call'] = (method, path, body, headers) =>
    api.call(method, path, body, { accessToken, ...headers });
  return { user, accessToken, call };
}
