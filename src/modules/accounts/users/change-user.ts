import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { Hook } from '../../../hook.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import { type FieldError, Problem, requireFound } from '../../../problems.ts';
import type { Actor } from '../actor.ts';
import { endSessions } from './session-store.ts';
import type { NewUserValues, User, UserValues } from './user.ts';
import { deleteUser, findUser, hasActiveAdmin, insertUser, updateUser, usersChannel } from './user-store.ts';

/** Handlers return the business or location ids that do not belong to the partner. */
export const unknownReach = new Hook<
  (sql: Sql, partnerId: number, reach: Pick<UserValues, 'businessIds' | 'locationIds'>) => Promise<UnknownIds>
>('unknownReach');

interface UnknownIds {
  field: 'businessIds' | 'locationIds';
  ids: readonly number[];
}

export async function createUser(
  transaction: Transaction,
  actor: Actor,
  values: NewUserValues,
  passwordHash: string | null,
): Promise<User> {
  await checkReach(transaction, actor.partner.id, values);
  const user = await insertUser(transaction, actor.partner.id, values, passwordHash);
  await recordAudit(transaction, actor, 'CREATED', 'USER', user.id, { email: user.email, role: user.role });
  return user;
}

interface UserChanges {
  values: Partial<UserValues>;
  passwordHash?: string | undefined;
  /** Session token of a user who changes their own password. This session is not ended. */
  ownToken?: string | undefined;
}

/** The change applies to the next request of every session of the user. */
export async function changeUser(
  transaction: Transaction,
  actor: Actor,
  id: number,
  { values, passwordHash, ownToken }: UserChanges,
): Promise<User> {
  const before = requireFound(await findUser(transaction, actor.partner.id, id, 'for update'), `user ${id}`);
  await checkReach(transaction, actor.partner.id, values, before);
  const after = await updateUser(transaction, id, values, passwordHash);
  if (isActiveAdmin(before) && !isActiveAdmin(after)) await requireActiveAdmin(transaction, actor.partner.id);
  if (after.status !== 'ACTIVE') await endSessions(transaction, id);
  else if (passwordHash !== undefined) await endSessions(transaction, id, ownToken);
  const changed = {
    ...differences(before, after, Object.keys(values) as (keyof UserValues)[]),
    ...(passwordHash !== undefined && { password: 'changed' }),
  };
  if (Object.keys(changed).length > 0) {
    await recordAudit(transaction, actor, 'UPDATED', 'USER', id, { changed });
  }
  transaction.notifyAfterCommit(usersChannel);
  return after;
}

export async function removeUser(transaction: Transaction, actor: Actor, id: number): Promise<void> {
  const user = requireFound(await findUser(transaction, actor.partner.id, id, 'for update'), `user ${id}`);
  await deleteUser(transaction, id);
  if (isActiveAdmin(user)) await requireActiveAdmin(transaction, actor.partner.id);
  await recordAudit(transaction, actor, 'DELETED', 'USER', id, { email: user.email, role: user.role });
  transaction.notifyAfterCommit(usersChannel);
}

const isActiveAdmin = ({ role, status }: User) => role === 'ADMIN' && status === 'ACTIVE';

async function requireActiveAdmin(transaction: Transaction, partnerId: number): Promise<void> {
  if (await hasActiveAdmin(transaction, partnerId)) return;
  throw new Problem('CONFLICT', {
    message: 'This is the last active administrator of the partner. Make another user an administrator first.',
  });
}

function differences(before: User, after: User, fields: readonly (keyof UserValues)[]) {
  const differing = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  return Object.fromEntries(differing.map((field) => [field, { from: before[field], to: after[field] }]));
}

/** Rejects businesses and locations of other partners. Ids that the user already has are not checked. */
async function checkReach(
  sql: Sql,
  partnerId: number,
  { businessIds = [], locationIds = [] }: Partial<UserValues>,
  before?: User,
): Promise<void> {
  const added = {
    businessIds: without(businessIds, before?.businessIds),
    locationIds: without(locationIds, before?.locationIds),
  };
  const unknown = await unknownReach.run(sql, partnerId, added);
  const errors = unknown.filter(({ ids }) => ids.length > 0).map(unknownIdError);
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
}

const without = (ids: readonly number[], excluded: readonly number[] = []) =>
  ids.filter((id) => !excluded.includes(id));

const maxListedIds = 20;

function unknownIdError({ field, ids }: UnknownIds): FieldError {
  const objects = field === 'businessIds' ? 'businesses' : 'locations';
  const listed = `${ids.slice(0, maxListedIds).join(', ')}${ids.length > maxListedIds ? ', …' : ''}`;
  const message = `${field} must contain ids of ${objects} of this partner. Unknown ids: ${listed}.`;
  return { field, rule: 'exists', message };
}
