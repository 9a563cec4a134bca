import { addCursorCondition, Conditions, orderBy } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countMatching } from '../../../database/counting.ts';
import { rejectDuplicate } from '../../../database/faults.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import { Problem } from '../../../problems.ts';
import type { Partner } from '../partners/partner.ts';
import type { User, UserValues } from './user.ts';

/** Notifies processes to drop their cached access tokens: a user or session has changed. */
export const usersChannel = 'waypost_users';

// to_json: pg returns bigint[] as strings.
export const userColumns = (table: string) =>
  `${table}.id, ${table}.email, ${table}.name, ${table}.role, ${table}.status, ${table}.language, ${table}.features,
   ${table}.field_groups as "fieldGroups", to_json(${table}.business_ids) as "businessIds",
   to_json(${table}.location_ids) as "locationIds", ${table}.date_created as "dateCreated",
   ${table}.last_updated as "lastUpdated", ${table}.last_login as "lastLogin"`;

const columns = userColumns('users');

export async function insertUser(
  sql: Sql,
  partnerId: number,
  values: UserValues,
  passwordHash: string | null,
): Promise<User> {
  const { rows } = await rejectDuplicateEmail(
    values.email,
    sql.query<User>(
      `insert into users (partner_id, password_hash, email, name, role, status, language, features, field_groups,
         business_ids, location_ids)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning ${columns}`,
      [partnerId, passwordHash, ...settable(values)],
    ),
  );
  return rows[0] as User;
}

const settable = (values: UserValues) => [
  values.email,
  values.name,
  values.role,
  values.status,
  values.language,
  values.features,
  values.fieldGroups,
  values.businessIds,
  values.locationIds,
];

/** Keeps the password if `passwordHash` is undefined. */
export async function updateUser(
  sql: Sql,
  id: number,
  values: UserValues,
  passwordHash: string | undefined,
): Promise<User> {
  const { rows } = await rejectDuplicateEmail(
    values.email,
    sql.query<User>(
      `update users set password_hash = coalesce($2, password_hash), email = $3, name = $4, role = $5, status = $6,
         language = $7, features = $8, field_groups = $9, business_ids = $10, location_ids = $11, last_updated = now()
       where id = $1 returning ${columns}`,
      [id, passwordHash, ...settable(values)],
    ),
  );
  return rows[0] as User;
}

export async function deleteUser(sql: Sql, id: number): Promise<void> {
  await sql.query('delete from users where id = $1', [id]);
}

/** `for update` serialises changes of one user. */
export async function findUser(
  sql: Sql,
  partnerId: number,
  id: number,
  lock: '' | 'for update' = '',
): Promise<User | undefined> {
  const { rows } = await sql.query<User>(`select ${columns} from users where partner_id = $1 and id = $2 ${lock}`, [
    partnerId,
    id,
  ]);
  return rows[0];
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
  const [condition, value] =
    'email' in who ? ['lower(users.email) = lower($1)', who.email] : ['users.id = $1', who.userId];
  const { rows } = await sql.query<
    User & { passwordHash: string | null; partnerId: number; identifier: string; mayLogIn: boolean }
  >(
    `select ${columns}, password_hash as "passwordHash", partner.id as "partnerId", partner.identifier,
       users.status = 'ACTIVE' and partner.status = 'ACTIVE' as "mayLogIn"
     from users join sales_partners partner on partner.id = users.partner_id
     where ${condition} and ($2::bigint is null or partner.id = $2) order by users.id limit ${maxCandidates}`,
    [value, partnerId],
  );
  return rows.map(({ passwordHash, partnerId: id, identifier, mayLogIn, ...user }) => ({
    user,
    passwordHash,
    partner: { id, identifier },
    mayLogIn,
  }));
}

/** Undefined if the user was deactivated or given another password since the lookup. */
export async function recordLogin(sql: Sql, id: number, passwordHash: string | null): Promise<User | undefined> {
  const { rows } = await sql.query<User>(
    `update users set last_login = now()
     where id = $1 and status = 'ACTIVE' and password_hash is not distinct from $2 returning ${columns}`,
    [id, passwordHash],
  );
  return rows[0];
}

export async function findPasswordHash(sql: Sql, id: number): Promise<string | null> {
  const { rows } = await sql.query<{ hash: string | null }>('select password_hash as hash from users where id = $1', [
    id,
  ]);
  return rows[0]?.hash ?? null;
}

interface UserFilter {
  role?: readonly string[];
  status?: readonly string[];
  query?: string;
}

function conditionsOf(partnerId: number, { role, status, query }: UserFilter): Conditions {
  const conditions = new Conditions(partnerId).add('partner_id = $1');
  if (role) conditions.add(`role = any (${conditions.value(role)})`);
  if (status) conditions.add(`status = any (${conditions.value(status)})`);
  if (query !== undefined) {
    const text = conditions.value(query);
    conditions.add(`(strpos(lower(email), lower(${text})) > 0 or strpos(lower(name), lower(${text})) > 0)`);
  }
  return conditions;
}

const sortExpressions = {
  id: 'id',
  name: "lower(coalesce(nullif(name, ''), email))",
  role: 'role',
  status: 'status',
  lastLogin: "coalesce(last_login, '-infinity')",
};

export const userSorts = Object.keys(sortExpressions) as (keyof typeof sortExpressions)[];

/** Returns up to max + 1 rows, to detect whether another page follows. */
export async function listUsers(
  sql: Sql,
  partnerId: number,
  filter: UserFilter,
  page: PageQuery & { sort: keyof typeof sortExpressions; descending: boolean },
): Promise<User[]> {
  const conditions = conditionsOf(partnerId, filter);
  const order = { by: sortExpressions[page.sort], id: 'id', descending: page.descending };
  addCursorCondition(conditions, order, 'users', page.after);
  const { rows } = await sql.query<User>(
    `select ${columns} from users ${conditions.where}
     order by ${orderBy(order)} offset ${conditions.value(page.offset)} limit ${conditions.value(page.max + 1)}`,
    conditions.values,
  );
  return rows;
}

export function countUsers(sql: Sql, partnerId: number, filter: UserFilter): Promise<Counted> {
  return countMatching(sql, 'users', conditionsOf(partnerId, filter));
}

/** Locks the partner: two concurrent changes could otherwise remove its last two administrators. */
export async function hasActiveAdmin(sql: Sql, partnerId: number): Promise<boolean> {
  await sql.query('select from sales_partners where id = $1 for no key update', [partnerId]);
  const { rows } = await sql.query<{ exists: boolean }>(
    "select exists (select from users where partner_id = $1 and role = 'ADMIN' and status = 'ACTIVE')",
    [partnerId],
  );
  return rows[0]?.exists ?? false;
}

interface Admin {
  partnerId: number;
  email: string;
  passwordHash: string;
}

/** Does nothing if the partner already has a user with this e-mail address. */
export async function insertAdmin(sql: Sql, { partnerId, email, passwordHash }: Admin): Promise<void> {
  await sql.query(
    `insert into users (partner_id, email, password_hash, role) values ($1, $2, $3, 'ADMIN')
     on conflict (partner_id, (lower(email))) do nothing`,
    [partnerId, email, passwordHash],
  );
}

export async function replacePassword(sql: Sql, { partnerId, email, passwordHash }: Admin): Promise<boolean> {
  const { rowCount } = await sql.query(
    'update users set password_hash = $3 where partner_id = $1 and lower(email) = lower($2)',
    [partnerId, email, passwordHash],
  );
  return rowCount === 1;
}

const rejectDuplicateEmail = <T>(email: string, statement: Promise<T>): Promise<T> =>
  rejectDuplicate(statement, 'users_email', () => {
    const message = `email ${email} is already used by another user of the partner.`;
    return new Problem('CONFLICT', { errors: [{ field: 'email', rule: 'unique', message }] });
  });
