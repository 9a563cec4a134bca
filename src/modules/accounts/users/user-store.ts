import { type Expression, expressionBuilder } from 'kysely';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countRows } from '../../../database/counting.ts';
import { rejectDuplicate } from '../../../database/faults.ts';
import { afterRow, anyOf, db, inOrder, raw } from '../../../database/query-builder.ts';
import type { DB } from '../../../database/schema.ts';
import type { Statement } from '../../../database/statement.ts';
import { type PageQuery, rejectDeletedCursor } from '../../../http/pagination.ts';
import { conflict } from '../../../problems.ts';
import type { Partner } from '../partners/partner.ts';
import { lockPartner } from '../partners/partner-keys.ts';
import type { NewUserValues, User, UserValues } from './user.ts';

/** Notifies processes to drop their cached access tokens: a user or session has changed. */
export const usersChannel = 'waypost_users';

export const userColumns: Statement<User>['columns'] = {
  id: 'int8',
  email: 'text',
  name: 'text',
  role: 'text',
  status: 'text',
  language: 'text',
  alertEmails: 'bool',
  features: 'text[]',
  fieldGroups: 'text[]',
  businessIds: 'int8[]',
  locationIds: 'int8[]',
  dateCreated: 'timestamptz',
  lastUpdated: 'timestamptz',
  lastLogin: 'timestamptz',
};
const columns = Object.keys(userColumns) as (keyof User)[];

type Narrowed = Pick<User, 'role' | 'status' | 'features' | 'fieldGroups'>;

export function insertUser(
  sql: Sql,
  partnerId: number,
  values: NewUserValues,
  passwordHash: string | null,
): Promise<User> {
  const user = db(sql)
    .insertInto('users')
    .values({ partnerId, passwordHash, ...values })
    .returning(columns)
    .$narrowType<Narrowed>();
  return rejectDuplicateEmail(values.email, user.executeTakeFirstOrThrow());
}

/** Keeps the password if `passwordHash` is undefined. */
export function updateUser(
  sql: Sql,
  id: number,
  values: Partial<UserValues>,
  passwordHash: string | undefined,
): Promise<User> {
  const user = db(sql)
    .updateTable('users')
    .set({ ...values, passwordHash, lastUpdated: raw`now()` })
    .where('id', '=', id)
    .returning(columns)
    .$narrowType<Narrowed>();
  return rejectDuplicateEmail(values.email, user.executeTakeFirstOrThrow());
}

export async function deleteUser(sql: Sql, id: number): Promise<void> {
  await db(sql).deleteFrom('users').where('id', '=', id).execute();
}

/** `for update` serializes changes of one user. */
export function findUser(
  sql: Sql,
  partnerId: number,
  id: number,
  lock: '' | 'for update' = '',
): Promise<User | undefined> {
  return db(sql)
    .selectFrom('users')
    .select(columns)
    .where('partnerId', '=', partnerId)
    .where('id', '=', id)
    .$if(lock === 'for update', (user) => user.forUpdate())
    .$narrowType<Narrowed>()
    .executeTakeFirst();
}

export interface LoginCandidate {
  user: User;
  passwordHash: string | null;
  partner: Pick<Partner, 'id' | 'identifier'>;
  mayLogIn: boolean;
}

/** Bounds the number of password hashes per sign-in. */
const maxCandidates = 10;

/** The users with an e-mail address (at most one per partner) or with an id, oldest first. */
export async function findLoginCandidates(
  sql: Sql,
  who: { email: string } | { userId: number },
  partnerId?: number,
): Promise<LoginCandidate[]> {
  let users = db(sql).selectFrom('users').innerJoin('salesPartners as partner', 'partner.id', 'users.partnerId');
  users = 'email' in who ? users.where(lowerEmail, '=', lower(who.email)) : users.where('users.id', '=', who.userId);
  if (partnerId !== undefined) users = users.where('partner.id', '=', partnerId);
  const rows = await users
    .select(columns.map((column) => `users.${column}` as const))
    .select(['passwordHash', 'partner.id as partnerId', 'partner.identifier'])
    .select((eb) => eb('users.status', '=', 'ACTIVE').and('partner.status', '=', 'ACTIVE').as('mayLogIn'))
    .orderBy('users.id')
    .limit(maxCandidates)
    .$narrowType<Narrowed & { mayLogIn: boolean }>()
    .execute();
  return rows.map(({ passwordHash, partnerId: id, identifier, mayLogIn, ...user }) => ({
    user,
    passwordHash,
    partner: { id, identifier },
    mayLogIn,
  }));
}

/** The distinct e-mail addresses of all users who can sign in, in lower case. */
export async function listEmails(sql: Sql): Promise<string[]> {
  const rows = await db(sql)
    .selectFrom('users')
    .select(lowerEmail.as('email'))
    .where('status', '=', 'ACTIVE')
    .distinct()
    .orderBy('email')
    .execute();
  return rows.map(({ email }) => email);
}

const lower = (text: string) => raw<string>`lower(${text})`;
const { ref } = expressionBuilder<DB, 'users'>();
const lowerEmail = raw<string>`lower(${ref('email')})`;

export async function lowerCaseOf(sql: Sql, email: string): Promise<string> {
  const { text } = await db(sql).selectNoFrom(lower(email).as('text')).executeTakeFirstOrThrow();
  return text;
}

/** Undefined if the user was deactivated or given another password since the lookup. */
export function recordLogin(sql: Sql, id: number, passwordHash: string | null): Promise<User | undefined> {
  return db(sql)
    .updateTable('users')
    .set({ lastLogin: raw`now()` })
    .where('id', '=', id)
    .where('status', '=', 'ACTIVE')
    .where('passwordHash', 'is not distinct from', passwordHash)
    .returning(columns)
    .$narrowType<Narrowed>()
    .executeTakeFirst();
}

export async function findPasswordHash(sql: Sql, id: number): Promise<string | null> {
  const user = await db(sql).selectFrom('users').select('passwordHash').where('id', '=', id).executeTakeFirst();
  return user?.passwordHash ?? null;
}

interface UserFilter {
  role?: readonly string[];
  status?: readonly string[];
  query?: string;
}

function matching(sql: Sql, partnerId: number, { role, status, query }: UserFilter) {
  let users = db(sql).selectFrom('users').where('partnerId', '=', partnerId);
  if (role) users = users.where('role', '=', anyOf(role, 'text'));
  if (status) users = users.where('status', '=', anyOf(status, 'text'));
  if (query !== undefined) {
    const contains = (column: Expression<string>) => raw<boolean>`strpos(lower(${column}), lower(${query})) > 0`;
    users = users.where((eb) => eb.or([contains(eb.ref('email')), contains(eb.ref('name'))]));
  }
  return users;
}

const sortExpressions = {
  id: undefined,
  name: raw`lower(coalesce(nullif(${ref('name')}, ''), ${ref('email')}))`,
  role: raw`${ref('role')}`,
  status: raw`${ref('status')}`,
  lastLogin: raw`coalesce(${ref('lastLogin')}, '-infinity')`,
};

export const userSorts = Object.keys(sortExpressions) as (keyof typeof sortExpressions)[];

/** Returns up to max + 1 rows, to detect whether another page follows. */
export function listUsers(
  sql: Sql,
  partnerId: number,
  filter: UserFilter,
  page: PageQuery & { sort: keyof typeof sortExpressions; descending: boolean },
): Promise<User[]> {
  const order = { by: sortExpressions[page.sort], descending: page.descending };
  let users = matching(sql, partnerId, filter);
  if (page.after !== undefined) users = users.where(afterRow('users', order, partnerId, page.after));
  const found = inOrder(users.select(columns), order)
    .offset(page.offset)
    .limit(page.max + 1)
    .$narrowType<Narrowed>();
  const cursor = order.by ? page.after : undefined;
  return rejectDeletedCursor(cursor, found.execute(), (id) =>
    db(sql).selectFrom('users').select('id').where('partnerId', '=', partnerId).where('id', '=', id).executeTakeFirst(),
  );
}

export const countUsers = (sql: Sql, partnerId: number, filter: UserFilter): Promise<Counted> =>
  countRows(sql, {
    table: 'users',
    partnerId,
    rows: matching(sql, partnerId, filter),
    all: matching(sql, partnerId, {}),
  });

/** Locks the partner: two concurrent changes could otherwise remove its last two administrators. */
export async function hasActiveAdmin(sql: Sql, partnerId: number): Promise<boolean> {
  await lockPartner(sql, partnerId);
  const admin = await db(sql)
    .selectFrom('users')
    .select('id')
    .where('partnerId', '=', partnerId)
    .where('role', '=', 'ADMIN')
    .where('status', '=', 'ACTIVE')
    .limit(1)
    .executeTakeFirst();
  return admin !== undefined;
}

interface Admin {
  partnerId: number;
  email: string;
  passwordHash: string;
}

/** Does nothing if the partner already has a user with this e-mail address. */
export async function insertAdmin(sql: Sql, { partnerId, email, passwordHash }: Admin): Promise<void> {
  await db(sql)
    .insertInto('users')
    .values({ partnerId, email, passwordHash, role: 'ADMIN' })
    .onConflict((conflict) => conflict.expression(raw`${ref('partnerId')}, ${lowerEmail}`).doNothing())
    .execute();
}

export async function replacePassword(sql: Sql, { partnerId, email, passwordHash }: Admin): Promise<boolean> {
  const { numUpdatedRows } = await db(sql)
    .updateTable('users')
    .set({ passwordHash })
    .where('partnerId', '=', partnerId)
    .where(lowerEmail, '=', lower(email))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

const rejectDuplicateEmail = <T>(email: string | undefined, statement: Promise<T>): Promise<T> =>
  rejectDuplicate(statement, 'users_email', () => {
    const message = `email ${email} is already used by another user of the partner.`;
    return conflict('email', 'unique', message);
  });

const maxAlertAddresses = 50;

/** The administrators of a partner who receive e-mails about its webhooks. */
export async function listAlertAddresses(sql: Sql, partnerId: number): Promise<string[]> {
  const users = await db(sql)
    .selectFrom('users')
    .select('email')
    .where('partnerId', '=', partnerId)
    .where('alertEmails', '=', true)
    .where('role', '=', 'ADMIN')
    .where('status', '=', 'ACTIVE')
    .orderBy('id')
    .limit(maxAlertAddresses)
    .execute();
  return users.map(({ email }) => email);
}
