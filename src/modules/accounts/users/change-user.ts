import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { Hook } from '../../../hook.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import { type FieldError, notFound, Problem } from '../../../problems.ts';
import type { Actor } from '../actor.ts';
import { endSessions } from './session-store.ts';
import type { User, UserValues } from './user.ts';
import { deleteUser, hasActiveAdmin, insertUser, lockUser, updateUser, usersChannel } from './user-store.ts';

/** Asks the owners of businesses and locations which of these ids the partner does not have. */
export const unknownReach = new Hook<
  (sql: Sql, partnerId: number, reach: Pick<UserValues, 'businessIds' | 'locationIds'>) => Promise<UnknownIds>
>('unknownReach');

export interface UnknownIds {
  field: 'businessIds' | 'locationIds';
  ids: readonly number[];
}

export const noUser = (id: number) => notFound(`user ${id}`);

const fresh: Omit<UserValues, 'email' | 'role'> = {
  name: '',
  status: 'ACTIVE',
  language: 'en',
  features: null,
  fieldGroups: null,
  businessIds: [],
  locationIds: [],
};

export type NewUserValues = Partial<UserValues> & Pick<UserValues, 'email' | 'role'>;

export async function createUser(
  transaction: Transaction,
  actor: Actor,
  values: NewUserValues,
  passwordHash: string | null,
): Promise<User> {
  await checkReach(transaction, actor.partner.id, values);
  const user = await insertUser(transaction, actor.partner.id, { ...fresh, ...values }, passwordHash);
  await recordAudit(transaction, actor, {
    action: 'CREATED',
    subject: 'USER',
    subjectId: user.id,
    details: { email: user.email, role: user.role },
  });
  return user;
}

interface UserChanges {
  values: Partial<UserValues>;
  passwordHash?: string;
  /** The session of a user who changes himself: it survives the change of his password. */
  ownToken?: string;
}

/** A change holds from the next request on, in all sessions of the user. */
export async function changeUser(
  transaction: Transaction,
  actor: Actor,
  id: number,
  { values, passwordHash, ownToken }: UserChanges,
): Promise<User> {
  const before = await lockUser(transaction, actor.partner.id, id);
  if (!before) throw noUser(id);
  await checkReach(transaction, actor.partner.id, values, before);
  const after = await updateUser(transaction, id, { ...before, ...values }, passwordHash);
  if (isActiveAdmin(before) && !isActiveAdmin(after)) await adminMustRemain(transaction, actor.partner.id);
  if (after.status !== 'ACTIVE') await endSessions(transaction, id);
  else if (passwordHash !== undefined) await endSessions(transaction, id, ownToken);
  const changed = {
    ...differences(before, after, Object.keys(values) as (keyof UserValues)[]),
    ...(passwordHash !== undefined && { password: 'changed' }),
  };
  if (Object.keys(changed).length > 0) {
    await recordAudit(transaction, actor, { action: 'UPDATED', subject: 'USER', subjectId: id, details: { changed } });
  }
  transaction.notifyAfterCommit(usersChannel);
  return after;
}

export async function removeUser(transaction: Transaction, actor: Actor, id: number): Promise<void> {
  const user = await lockUser(transaction, actor.partner.id, id);
  if (!user) throw noUser(id);
  await deleteUser(transaction, id);
  if (isActiveAdmin(user)) await adminMustRemain(transaction, actor.partner.id);
  await recordAudit(transaction, actor, {
    action: 'DELETED',
    subject: 'USER',
    subjectId: id,
    details: { email: user.email, role: user.role },
  });
  transaction.notifyAfterCommit(usersChannel);
}

const isActiveAdmin = ({ role, status }: User) => role === 'ADMIN' && status === 'ACTIVE';

async function adminMustRemain(transaction: Transaction, partnerId: number): Promise<void> {
  if (await hasActiveAdmin(transaction, partnerId)) return;
  throw new Problem('CONFLICT', {
    message: 'This is the last active administrator of the partner. Make another user an administrator first.',
  });
}

function differences(before: User, after: User, fields: readonly (keyof UserValues)[]) {
  const differing = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  return Object.fromEntries(differing.map((field) => [field, { from: before[field], to: after[field] }]));
}

/** A user can be given only businesses and locations of his partner. Those that he has already are not asked about. */
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
  const errors = unknown.flatMap(unknownIds);
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
}

const without = (ids: readonly number[], held: readonly number[] = []) => ids.filter((id) => !held.includes(id));

const mostNamed = 20;

function unknownIds({ field, ids }: UnknownIds): FieldError[] {
  if (ids.length === 0) return [];
  const what = field === 'businessIds' ? 'business' : 'location';
  const named = `${ids.slice(0, mostNamed).join(', ')}${ids.length > mostNamed ? ', …' : ''}`;
  return [{ field, rule: 'exists', message: `${field} names what is no ${what} of this partner: ${named}.` }];
}
