import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { hashKey, newPrivateKey, rotationUnderWay } from '../../../events/signing/keys.ts';
import type { Sealer } from '../../../events/signing/sealer.ts';
import { bumpRevisions } from '../../../events/subscriptions/webhook-store.ts';
import type { Caller, KnownKey } from '../../../http/authenticate.ts';
import type { ValidKey } from './partner.ts';

/** Notifies processes to drop their cached keys: a partner, plan or key has changed. */
export const partnersChannel = 'waypost_partners';

type PartnerFacts = Omit<Caller, 'countedAs' | 'by' | 'user'>;

/** Creates a private key. Its plain text is returned only here. */
export async function issueKey(sql: Sql, sealer: Sealer, partnerId: number): Promise<string> {
  const privateKey = newPrivateKey();
  await sql.query('insert into partner_keys (partner_id, hash, sealed) values ($1, $2, $3)', [
    partnerId,
    hashKey(privateKey),
    sealer.seal(privateKey),
  ]);
  return privateKey;
}

/** Newest first. */
export async function validKeys(sql: Sql, partnerId: number): Promise<ValidKey[]> {
  const { rows } = await sql.query<ValidKey>(
    `select id, date_created as "dateCreated", expires_at as "expiresAt" from partner_keys
     where partner_id = $1 and (expires_at is null or expires_at > now()) order by id desc`,
    [partnerId],
  );
  return rows;
}

/** The newest key, encrypted with the master key. */
export async function sealedKey(sql: Sql, partnerId: number): Promise<Buffer | undefined> {
  const { rows } = await sql.query<{ sealed: Buffer }>(
    'select sealed from partner_keys where partner_id = $1 and expires_at is null order by id desc limit 1',
    [partnerId],
  );
  return rows[0]?.sealed;
}

export async function findKey(sql: Sql, privateKey: string): Promise<KnownKey | undefined> {
  const { rows } = await sql.query<PartnerFacts & { keyId: number; expiresAt: Date | null }>({
    name: 'find-key',
    text: `select keys.id as "keyId", keys.expires_at as "expiresAt", partners.id as "partnerId",
             partners.identifier as "partnerIdentifier", partners.api_version as "apiVersion",
             ${planFeaturesOf('partners.id')} as "planFeatures",
             exists (select from sales_partners child where child.parent_id = partners.id) as "hasChildren"
           from partner_keys keys join sales_partners partners on partners.id = keys.partner_id
           where keys.hash = $1 and (keys.expires_at is null or keys.expires_at > now())
             and partners.status = 'ACTIVE'`,
    values: [hashKey(privateKey)],
  });
  const [found] = rows;
  if (!found) return undefined;
  const { expiresAt, keyId, ...caller } = found;
  return { caller: { ...caller, countedAs: `key ${keyId}`, by: 'PRIVATE_TOKEN' }, expiresAt };
}

/** Public keys do not expire. */
export async function findPublicKey(sql: Sql, publicKey: string): Promise<KnownKey | undefined> {
  const { rows } = await sql.query<PartnerFacts>({
    name: 'find-public-key',
    text: `select id as "partnerId", identifier as "partnerIdentifier", api_version as "apiVersion",
             ${planFeaturesOf('sales_partners.id')} as "planFeatures"
           from sales_partners where public_key = $1 and status = 'ACTIVE'`,
    values: [publicKey],
  });
  const [found] = rows;
  if (!found) return undefined;
  const caller = { ...found, countedAs: `public key ${found.partnerId}`, by: 'PUBLIC_KEY' };
  return { caller, expiresAt: null };
}

/** The partner that owns a store finder. */
export async function findStoreKey(sql: Sql, storeKey: string): Promise<KnownKey | undefined> {
  const { rows } = await sql.query<{ publicKey: string }>({
    name: 'find-store-key',
    text: `select public_key as "publicKey" from sales_partners
           where id = (select partner_id from store_finders where store_key = $1)`,
    values: [storeKey],
  });
  return rows[0] && findPublicKey(sql, rows[0].publicKey);
}

/**
 * Issues a new key. The old key authenticates and signs until the overlap ends, so that receivers can be given the new
 * key in time: a delivery carries one signature only.
 */
export async function rotateKey(
  transaction: Transaction,
  sealer: Sealer,
  partnerId: number,
  overlapHours: number,
): Promise<{ privateKey: string; overlapEnds: Date }> {
  // Serialises rotations of one partner without blocking the creation of webhooks.
  await transaction.query('select from sales_partners where id = $1 for no key update', [partnerId]);
  const runningUntil = await endOfOverlap(transaction, partnerId);
  if (runningUntil && overlapHours > 0) throw rotationUnderWay(runningUntil);
  const overlapEnds = await expireKeys(transaction, partnerId, overlapHours * 3600);
  const privateKey = await issueKey(transaction, sealer, partnerId);
  await bumpRevisions(transaction, partnerId);
  transaction.notifyAfterCommit(partnersChannel);
  return { privateKey, overlapEnds };
}

/** Ends the overlap of a rotation: only the newest key stays valid. Returns false if there is no overlap. */
export async function endOverlap(transaction: Transaction, partnerId: number): Promise<boolean> {
  await transaction.query('select from sales_partners where id = $1 for no key update', [partnerId]);
  const { rowCount } = await transaction.query(
    'update partner_keys set expires_at = now() where partner_id = $1 and expires_at > now()',
    [partnerId],
  );
  if (!rowCount) return false;
  await bumpRevisions(transaction, partnerId);
  transaction.notifyAfterCommit(partnersChannel);
  return true;
}

async function endOfOverlap(sql: Sql, partnerId: number): Promise<Date | null> {
  const { rows } = await sql.query<{ until: Date | null }>(
    'select max(expires_at) as until from partner_keys where partner_id = $1 and expires_at > now()',
    [partnerId],
  );
  return rows[0]?.until ?? null;
}

async function expireKeys(sql: Sql, partnerId: number, afterSeconds: number): Promise<Date> {
  const { rows } = await sql.query<{ ends: Date }>(
    `with expired as (
       update partner_keys set expires_at = now() + make_interval(secs => $2)
       where partner_id = $1 and (expires_at is null or expires_at > now())
     )
     select now() + make_interval(secs => $2) as ends`,
    [partnerId, afterSeconds],
  );
  return rows[0]?.ends as Date;
}

/**
 * SQL expression for the features of all plans of a partner. Inactive plans count, because businesses keep them; plans
 * pending approval do not.
 */
export const planFeaturesOf = (partnerId: string): string =>
  `array(select distinct unnest(features) from product_plans
         where partner_id = ${partnerId} and status <> 'PENDING_APPROVAL')`;
