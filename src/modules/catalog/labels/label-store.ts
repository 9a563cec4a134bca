import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { countAll } from '../../../database/counting.ts';
import { rejectDuplicate } from '../../../database/faults.ts';
import { anyOf, db, raw } from '../../../database/query-builder.ts';
import { defineQuery, defineStatement, run } from '../../../database/statement.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { findWebhooksFilteredBy } from '../../../events/subscriptions/webhook-store.ts';
import { type PageQuery, rejectDeletedCursor } from '../../../http/pagination.ts';
import { fieldNames } from '../../../http/record-response.ts';
import { conflict, Problem } from '../../../problems.ts';
import { normalizeText } from '../../../text.ts';
import type { Actor } from '../../accounts/index.ts';

const LabelName = Type.String({
  pattern: '\\S',
  maxLength: 100,
  description: 'Unique, not blank',
});

export const NewLabel = Type.Object({
  name: LabelName,
  adminOnly: Type.Optional(
    Type.Boolean({
      description: 'Only administrators and account managers can see and assign it. Default: false.',
    }),
  ),
});

export const LabelChange = Type.Partial(NewLabel);

export const LabelResponse = Type.Object(
  { id: Type.Integer(), name: Type.String(), adminOnly: Type.Boolean() },
  { title: 'Label' },
);
export type Label = Static<typeof LabelResponse>;

const columns = fieldNames(LabelResponse);
const lowerName = raw<string>`lower(name)`;

/** Sorted by name. Ignores ids of other partners. Part of every read of locations. */
export const findLabels = defineQuery<[partnerId: number, ids: readonly number[]], Label>({
  name: 'find-labels',
  text: `select id, name, admin_only from labels where partner_id = $1 and id = any ($2::bigint[])
         order by lower(name), id`,
  columns: { id: 'int8', name: 'text', adminOnly: 'bool' },
});

/** Labels that a record will refer to: those that exist, which are not deleted before the transaction ends. */
export async function keepLabels(transaction: Sql, partnerId: number, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const kept = ofPartner(transaction, partnerId).where('id', '=', anyOf(ids, 'bigint')).select('id').orderBy('id');
  return (await kept.forKeyShare().execute()).map(({ id }) => id);
}

/** SQL: a JSON array of the labels in `label_ids` of a row. Ignores ids of other partners. */
export const labelsOfRow = (table: string) => `coalesce((
  select json_agg(found) from (
    select label.id, label.name, label.admin_only as "adminOnly"
    from labels label where label.partner_id = ${table}.partner_id and label.id = any (${table}.label_ids)
  ) found), '[]')`;

const ofPartner = (sql: Sql, partnerId: number) => db(sql).selectFrom('labels').where('partnerId', '=', partnerId);

/** Case-insensitive. */
export const findLabelsByName = (sql: Sql, partnerId: number, names: readonly string[]): Promise<Label[]> =>
  ofPartner(sql, partnerId)
    .select(columns)
    .where(lowerName, 'in', raw<string>`(select lower(name) from unnest(${names.map(normalizeText)}::text[]) as name)`)
    .orderBy(lowerName)
    .orderBy('id')
    .execute();

/** Finds labels by case-insensitive name and creates missing ones: public, unless the name is in `adminOnly`. */
export async function ensureLabels(
  transaction: Transaction,
  actor: Actor,
  names: readonly string[],
  adminOnly: readonly string[] = [],
): Promise<Label[]> {
  const distinct = [...new Set(names.map(normalizeText))].filter((name) => name !== '');
  if (distinct.length === 0) return [];
  const adminNames = adminOnly.map((name) => normalizeText(name).toLowerCase());
  await run(transaction, insertMissing, [actor.partner.id, distinct, adminNames]);
  return findLabelsByName(transaction, actor.partner.id, distinct);
}

// A fixed order prevents deadlocks between imports that create the same labels.
const insertMissing = defineStatement({
  name: 'insert-missing-labels',
  text: `insert into labels (partner_id, name, admin_only)
         select $1, min(name), lower(name) = any ($3) from unnest($2::text[]) as name
         group by lower(name) order by lower(name)
         on conflict (partner_id, lower(name)) do nothing`,
});

interface LabelFilter {
  /** Excludes adminOnly labels. */
  publicOnly: boolean;
  adminOnly?: boolean;
  query?: string;
}

function matching(sql: Sql, partnerId: number, { publicOnly, adminOnly, query }: LabelFilter) {
  let labels = ofPartner(sql, partnerId);
  if (publicOnly) labels = labels.where('adminOnly', '=', false);
  if (adminOnly !== undefined) labels = labels.where('adminOnly', '=', adminOnly);
  if (query !== undefined) labels = labels.where(raw`strpos(lower(name), lower(${query}))`, '>', 0);
  return labels;
}

/** Sorted by name. `after` is the last label of the previous page. */
export function listLabels(sql: Sql, partnerId: number, filter: LabelFilter, { offset, max, after }: PageQuery) {
  let labels = matching(sql, partnerId, filter);
  const named = (id: number) => ofPartner(sql, partnerId).select(lowerName.as('name')).where('id', '=', id);
  if (after !== undefined) labels = labels.where(lowerName, '>', named(after));
  const page = labels.select(columns).orderBy(lowerName).offset(offset).limit(max);
  return rejectDeletedCursor(after, page.execute(), (id) => named(id).executeTakeFirst());
}

export const countLabels = (sql: Sql, partnerId: number, filter: LabelFilter): Promise<number> =>
  countAll(matching(sql, partnerId, filter));

export function insertLabel(sql: Sql, partnerId: number, label: Omit<Label, 'id'>): Promise<Label> {
  const inserted = db(sql)
    .insertInto('labels')
    .values({ partnerId, ...label })
    .returning(columns);
  return rejectDuplicateName(label.name, inserted.executeTakeFirstOrThrow());
}

/** Undefined properties are not changed. */
export function updateLabel(sql: Sql, partnerId: number, id: number, change: Static<typeof LabelChange>) {
  const label = db(sql)
    .updateTable('labels')
    .set(change)
    .where('partnerId', '=', partnerId)
    .where('id', '=', id)
    .returning(columns);
  return rejectDuplicateName(change.name, label.executeTakeFirst());
}

export const deleteLabel = (sql: Sql, partnerId: number, id: number) =>
  db(sql)
    .deleteFrom('labels')
    .where('partnerId', '=', partnerId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();

const rejectDuplicateName = <T>(name: string | undefined, statement: Promise<T>): Promise<T> =>
  rejectDuplicate(statement, 'labels_name', () =>
    conflict('name', 'unique', `A label with the name "${name}" already exists. Use it, or choose another name.`),
  );

/** Queries for the uses of a label return at most one more. */
export const maxNamedUses = 10;

/** Rejects the deletion of the only target of records, named by an id or a name. */
export function rejectDeletingOnlyTarget({ name }: Pick<Label, 'name'>, records: string, uses: readonly unknown[]) {
  if (uses.length === 0) return;
  throw new Problem('CONFLICT', {
    message: `The label "${name}" is the only target of ${records}: ${textOf(uses)}. Change their targets or delete them first.`,
  });
}

const textOf = (uses: readonly unknown[]) =>
  `${uses.slice(0, maxNamedUses).join(', ')}${uses.length > maxNamedUses ? ' and others' : ''}`;

/** A filter by a deleted label would never match. */
export async function rejectDeletingLabelOfWebhooks(
  sql: Sql,
  partnerId: number,
  { id, name }: Pick<Label, 'id' | 'name'>,
): Promise<void> {
  const webhooks = await findWebhooksFilteredBy(sql, partnerId, id, maxNamedUses + 1);
  if (webhooks.length === 0) return;
  throw new Problem('CONFLICT', {
    message: `The label "${name}" is used in the filters of webhooks: ${textOf(webhooks)}. Change their filters or delete them first.`,
  });
}
