import { newestVersion } from '../../../api/versions/timeline.ts';
import type { Sql } from '../../../database/connection.ts';
import { countAll } from '../../../database/counting.ts';
import { rejectDuplicate } from '../../../database/faults.ts';
import { db, pageById, raw } from '../../../database/query-builder.ts';
import { defineStatement, run, type Statement, selectionOf } from '../../../database/statement.ts';
import type { Sealer } from '../../../events/signing/sealer.ts';
import { newCredential } from '../../../http/credential.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import { identifierInUse } from '../../../problems.ts';
import type { Partner, partnerChange } from './partner.ts';
import { issueKey } from './partner-keys.ts';

type NewPartner = Pick<Partner, 'identifier' | 'name'> & Partial<Pick<Partner, 'parentId' | 'apiVersion'>>;

/** Creates a partner with its first private key, which cannot be read again. */
export async function createPartner(
  sql: Sql,
  sealer: Sealer,
  { identifier, name, parentId = null, apiVersion = newestVersion }: NewPartner,
): Promise<{ partner: Partner; privateKey: string }> {
  const publicKey = await newCredential(sql, 'publicKey');
  const partner = await insertPartner(sql, { identifier, name, apiVersion, parentId, publicKey });
  return { partner, privateKey: await issueKey(sql, sealer, partner.id) };
}

const columnTypes: Statement<Partner>['columns'] = {
  id: 'int8',
  identifier: 'text',
  name: 'text',
  status: 'text',
  apiVersion: 'text',
  parentId: 'int8',
  publicKey: 'text',
  dateCreated: 'timestamptz',
  lastUpdated: 'timestamptz',
};
const columns = Object.keys(columnTypes) as (keyof Partner)[];

const insertWithLineage = defineStatement<Partner>({
  name: 'insert-partner',
  text: `insert into sales_partners (id, identifier, name, api_version, parent_id, public_key, lineage)
         select fresh.id, $1, $2, $3, $4, $5, coalesce(parent.lineage, '{}') || fresh.id
         from (select nextval(pg_get_serial_sequence('sales_partners', 'id')) as id) as fresh
         left join sales_partners parent on parent.id = $4
         returning ${selectionOf(columnTypes)}`,
  columns: columnTypes,
});

export async function insertPartner(
  sql: Sql,
  partner: Pick<Partner, 'identifier' | 'name' | 'apiVersion' | 'parentId' | 'publicKey'>,
): Promise<Partner> {
  const { identifier, name, apiVersion, parentId, publicKey } = partner;
  const [inserted] = await rejectDuplicateIdentifier(
    identifier,
    run(sql, insertWithLineage, [identifier, name, apiVersion, parentId, publicKey]),
  );
  return inserted as Partner;
}

/** The partner itself and its descendants. */
const withDescendants = (sql: Sql, partnerId: number) =>
  db(sql)
    .selectFrom('salesPartners')
    .where((eb) => eb(eb.val(partnerId), '=', eb.fn.any('lineage')));

/** Undefined unless the partner is the caller or one of its descendants. */
export function findPartner(sql: Sql, callerId: number, id: number): Promise<Partner | undefined> {
  return withDescendants(sql, callerId).select(columns).where('id', '=', id).executeTakeFirst();
}

export function listPartners(sql: Sql, callerId: number, page: PageQuery): Promise<Partner[]> {
  return pageById(withDescendants(sql, callerId).select(columns), page).execute();
}

/** For the operator. Each partner follows its parent. */
export function listAllPartners(sql: Sql): Promise<Partner[]> {
  return db(sql).selectFrom('salesPartners').select(columns).orderBy('lineage').execute();
}

export function findPartnerByIdentifier(sql: Sql, identifier: string): Promise<Partner | undefined> {
  return db(sql).selectFrom('salesPartners').select(columns).where('identifier', '=', identifier).executeTakeFirst();
}

/** Requests with keys of an inactive partner are rejected. */
export async function setPartnerStatus(sql: Sql, identifier: string, status: 'ACTIVE' | 'INACTIVE'): Promise<void> {
  await db(sql).updateTable('salesPartners').set({ status }).where('identifier', '=', identifier).execute();
}

export const countPartners = (sql: Sql, callerId: number): Promise<number> => countAll(withDescendants(sql, callerId));

/** Whether there are active partners other than this one and its descendants. */
export async function hasUnrelatedPartners(sql: Sql, partnerId: number): Promise<boolean> {
  const unrelated = await db(sql)
    .selectFrom('salesPartners')
    .select('id')
    .where('status', '=', 'ACTIVE')
    .where((eb) => eb.not(eb(eb.val(partnerId), '=', eb.fn.any('lineage'))))
    .limit(1)
    .executeTakeFirst();
  return unrelated !== undefined;
}

export function updatePartner(
  sql: Sql,
  callerId: number,
  id: number,
  change: ReturnType<typeof partnerChange>,
): Promise<Partner | undefined> {
  const partner = db(sql)
    .updateTable('salesPartners')
    .set({ ...change, lastUpdated: raw`now()` })
    .where('id', '=', id)
    .where((eb) => eb(eb.val(callerId), '=', eb.fn.any('lineage')))
    .returning(columns);
  return rejectDuplicateIdentifier(change.identifier, partner.executeTakeFirst());
}

const rejectDuplicateIdentifier = <T>(identifier: string | undefined, statement: Promise<T>): Promise<T> =>
  rejectDuplicate(statement, 'sales_partners_identifier_key', () => identifierInUse(identifier));
