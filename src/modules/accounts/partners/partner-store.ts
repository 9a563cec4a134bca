import { newestVersion } from '../../../api/versions/timeline.ts';
import type { Sql } from '../../../database/connection.ts';
import { rejectDuplicate } from '../../../database/faults.ts';
import { newPublicKey } from '../../../events/signing/keys.ts';
import type { Sealer } from '../../../events/signing/sealer.ts';
import { identifierInUse } from '../../../problems.ts';
import type { Partner } from './partner.ts';
import { issueKey } from './partner-keys.ts';

interface NewPartner {
  identifier: string;
  name: string;
  parentId?: number;
  /** Defaults to the newest version. */
  apiVersion?: string;
}

/** Creates a partner with its first private key. The key is not readable afterwards. */
export async function createPartner(
  sql: Sql,
  sealer: Sealer,
  { identifier, name, parentId, apiVersion = newestVersion }: NewPartner,
): Promise<{ partner: Partner; privateKey: string }> {
  const publicKey = newPublicKey();
  const partner = await insertPartner(sql, { identifier, name, apiVersion, parentId: parentId ?? null, publicKey });
  return { partner, privateKey: await issueKey(sql, sealer, partner.id) };
}

const columns = `id, identifier, name, status, api_version as "apiVersion", parent_id as "parentId",
  public_key as "publicKey", date_created as "dateCreated", last_updated as "lastUpdated"`;

export async function insertPartner(
  sql: Sql,
  partner: Pick<Partner, 'identifier' | 'name' | 'apiVersion' | 'parentId' | 'publicKey'>,
): Promise<Partner> {
  const { identifier, name, apiVersion, parentId, publicKey } = partner;
  const { rows } = await rejectDuplicateIdentifier(
    identifier,
    sql.query<Partner>(
      `insert into sales_partners (id, identifier, name, api_version, parent_id, public_key, lineage)
       select fresh.id, $1, $2, $3, $4, $5, coalesce(parent.lineage, '{}') || fresh.id
       from (select nextval(pg_get_serial_sequence('sales_partners', 'id')) as id) as fresh
       left join sales_partners parent on parent.id = $4
       returning ${columns}`,
      [identifier, name, apiVersion, parentId, publicKey],
    ),
  );
  return rows[0] as Partner;
}

/** Finds only the caller itself and its descendants. */
export async function findPartner(sql: Sql, callerId: number, id: number): Promise<Partner | undefined> {
  const { rows } = await sql.query<Partner>(
    `select ${columns} from sales_partners where id = $2 and $1 = any (lineage)`,
    [callerId, id],
  );
  return rows[0];
}

export async function listPartners(
  sql: Sql,
  callerId: number,
  page: { offset: number; max: number; after?: number },
): Promise<Partner[]> {
  const { rows } = await sql.query<Partner>(
    `select ${columns} from sales_partners where $1 = any (lineage) and id > $2 order by id offset $3 limit $4`,
    [callerId, page.after ?? 0, page.offset, page.max],
  );
  return rows;
}

/** For the operator. Children follow their parents. */
export async function listAllPartners(sql: Sql): Promise<Partner[]> {
  const { rows } = await sql.query<Partner>(`select ${columns} from sales_partners order by lineage`);
  return rows;
}

export async function findPartnerByIdentifier(sql: Sql, identifier: string): Promise<Partner | undefined> {
  const { rows } = await sql.query<Partner>(`select ${columns} from sales_partners where identifier = $1`, [
    identifier,
  ]);
  return rows[0];
}

/** The keys of an inactive partner are rejected. */
export async function setPartnerStatus(sql: Sql, identifier: string, status: 'ACTIVE' | 'INACTIVE'): Promise<void> {
  await sql.query('update sales_partners set status = $2 where identifier = $1', [identifier, status]);
}

export async function countPartners(sql: Sql, callerId: number): Promise<number> {
  const { rows } = await sql.query<{ count: number }>('select count(*) from sales_partners where $1 = any (lineage)', [
    callerId,
  ]);
  return rows[0]?.count ?? 0;
}

/** Whether there are active partners other than this one and its descendants. */
export async function hasUnrelatedPartners(sql: Sql, partnerId: number): Promise<boolean> {
  const { rowCount } = await sql.query(
    "select from sales_partners where status = 'ACTIVE' and not $1 = any (lineage) limit 1",
    [partnerId],
  );
  return rowCount === 1;
}

export async function updatePartner(
  sql: Sql,
  callerId: number,
  id: number,
  change: { name?: string; identifier?: string; apiVersion?: string },
): Promise<Partner | undefined> {
  const { name, identifier, apiVersion } = change;
  const { rows } = await rejectDuplicateIdentifier(
    identifier,
    sql.query<Partner>(
      `update sales_partners
       set name = coalesce($3, name), identifier = coalesce($4, identifier), api_version = coalesce($5, api_version),
         last_updated = now()
       where id = $2 and $1 = any (lineage)
       returning ${columns}`,
      [callerId, id, name, identifier, apiVersion],
    ),
  );
  return rows[0];
}

const rejectDuplicateIdentifier = <T>(identifier: string | undefined, statement: Promise<T>): Promise<T> =>
  rejectDuplicate(statement, 'sales_partners_identifier_key', () => identifierInUse(identifier));
