import { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import { rejectDuplicate } from '../../../database/faults.ts';
import type { Transaction } from '../../../database/transaction.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import { Problem } from '../../../problems.ts';
import type { Actor } from '../../accounts/index.ts';
import type { Label } from './label.ts';

const columns = 'id, name, admin_only as "adminOnly"';

/** Sorted by name. Ignores ids of other partners. */
export async function findLabels(sql: Sql, partnerId: number, ids: readonly number[]): Promise<Label[]> {
  const { rows } = await sql.query<Label>(
    `select ${columns} from labels where partner_id = $1 and id = any ($2::bigint[]) order by lower(name), id`,
    [partnerId, ids],
  );
  return rows;
}

/** Case-insensitive. */
export async function findLabelsByName(sql: Sql, partnerId: number, names: readonly string[]): Promise<Label[]> {
  const { rows } = await sql.query<Label>(
    `select ${columns} from labels
     where partner_id = $1 and lower(name) in (select lower(name) from unnest($2::text[]) as name) order by id`,
    [partnerId, names],
  );
  return rows;
}

/** Finds labels by case-insensitive name and creates missing ones: public, unless the name is in `adminOnly`. */
export async function ensureLabels(
  transaction: Transaction,
  actor: Actor,
  names: readonly string[],
  adminOnly: readonly string[] = [],
): Promise<Label[]> {
  const distinct = [...new Set(names.map((name) => name.trim()))].filter((name) => name !== '');
  if (distinct.length === 0) return [];
  // A fixed order prevents deadlocks between imports that create the same labels.
  await transaction.query(
    `insert into labels (partner_id, name, admin_only)
     select $1, min(name), lower(name) = any ($3) from unnest($2::text[]) as name group by lower(name) order by lower(name)
     on conflict (partner_id, lower(name)) do nothing`,
    [actor.partner.id, distinct, adminOnly.map((name) => name.trim().toLowerCase())],
  );
  const { rows } = await transaction.query<Label>(
    `select ${columns} from labels
     where partner_id = $1 and lower(name) in (select lower(name) from unnest($2::text[]) as name)
     order by lower(name), id`,
    [actor.partner.id, distinct],
  );
  return rows;
}

interface LabelFilter {
  /** Excludes adminOnly labels. */
  publicOnly: boolean;
  adminOnly?: boolean;
  query?: string;
}

function conditionsOf(partnerId: number, { publicOnly, adminOnly, query }: LabelFilter): Conditions {
  const conditions = new Conditions(partnerId).add('partner_id = $1');
  if (publicOnly) conditions.add('not admin_only');
  if (adminOnly !== undefined) conditions.add(`admin_only = ${conditions.value(adminOnly)}`);
  if (query !== undefined) conditions.add(`strpos(lower(name), lower(${conditions.value(query)})) > 0`);
  return conditions;
}

/** Sorted by name. `after` is the last label of the previous page. */
export async function listLabels(
  sql: Sql,
  partnerId: number,
  filter: LabelFilter,
  { offset, max, after }: PageQuery,
): Promise<Label[]> {
  const conditions = conditionsOf(partnerId, filter);
  if (after !== undefined) {
    conditions.add(
      `lower(name) > (select lower(name) from labels where partner_id = $1 and id = ${conditions.value(after)})`,
    );
  }
  const { rows } = await sql.query<Label>(
    `select ${columns} from labels ${conditions.where}
     order by lower(name) offset ${conditions.value(offset)} limit ${conditions.value(max)}`,
    conditions.values,
  );
  return rows;
}

export async function countLabels(sql: Sql, partnerId: number, filter: LabelFilter): Promise<number> {
  const conditions = conditionsOf(partnerId, filter);
  const { rows } = await sql.query<{ count: number }>(
    `select count(*) from labels ${conditions.where}`,
    conditions.values,
  );
  return rows[0]?.count ?? 0;
}

export async function insertLabel(sql: Sql, partnerId: number, label: Omit<Label, 'id'>): Promise<Label> {
  const { rows } = await rejectDuplicateName(
    label.name,
    sql.query<Label>(`insert into labels (partner_id, name, admin_only) values ($1, $2, $3) returning ${columns}`, [
      partnerId,
      label.name,
      label.adminOnly,
    ]),
  );
  return rows[0] as Label;
}

export async function updateLabel(
  sql: Sql,
  partnerId: number,
  id: number,
  { name, adminOnly }: { name?: string; adminOnly?: boolean },
): Promise<Label | undefined> {
  const { rows } = await rejectDuplicateName(
    name,
    sql.query<Label>(
      `update labels set name = coalesce($3, name), admin_only = coalesce($4, admin_only)
       where partner_id = $1 and id = $2 returning ${columns}`,
      [partnerId, id, name, adminOnly],
    ),
  );
  return rows[0];
}

export async function deleteLabel(sql: Sql, partnerId: number, id: number): Promise<Label | undefined> {
  const { rows } = await sql.query<Label>(`delete from labels where partner_id = $1 and id = $2 returning ${columns}`, [
    partnerId,
    id,
  ]);
  return rows[0];
}

const rejectDuplicateName = <T>(name: string | undefined, statement: Promise<T>): Promise<T> =>
  rejectDuplicate(
    statement,
    'labels_name',
    () =>
      new Problem('CONFLICT', {
        message: `A label with the name "${name}" already exists. Use it, or choose another name.`,
      }),
  );
