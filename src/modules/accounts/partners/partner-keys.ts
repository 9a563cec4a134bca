import type { Sql } from '../../../database/connection.ts';
import { db, raw } from '../../../database/query-builder.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { hashKey, rotationUnderWay } from '../../../events/signing/keys.ts';
import type { Sealer } from '../../../events/signing/sealer.ts';
import { bumpRevisions } from '../../../events/subscriptions/webhook-store.ts';
import type { Caller, KnownKey } from '../../../http/authenticate.ts';
import { newCredential } from '../../../http/credential.ts';
import type { ValidKey } from './partner.ts';

/** Notifies processes to drop their cached keys: a partner, plan or key has changed. */
export const partnersChannel = 'waypost_partners';

/** The facts about a caller that come from its partner, in a statement where its table is named `partner`. */
export type PartnerFacts = Pick<Caller, 'partnerId' | 'partnerIdentifier' | 'apiVersion' | 'planFeatures'>;

/** Features of all plans. Inactive plans count, because businesses keep them; plans pending approval do not. */
export const partnerFacts = {
  text: `partner.id as partner_id, partner.identifier as partner_identifier, partner.api_version,
         array(select distinct unnest(features) from product_plans
               where partner_id = partner.id and status <> 'PENDING_APPROVAL') as plan_features`,
  columns: { partnerId: 'int8', partnerIdentifier: 'text', apiVersion: 'text', planFeatures: 'text[]' },
} as const;

/** Creates a private key. Its plain text is returned only here. */
export async function issueKey(sql: Sql, sealer: Sealer, partnerId: number): Promise<string> {
  const privateKey = await newCredential(sql, 'privateKey');
  await db(sql)
    .insertInto('partnerKeys')
    .values({ partnerId, hash: hashKey(privateKey), sealed: sealer.seal(privateKey) })
    .execute();
  return privateKey;
}

/** Newest first. */
export function validKeys(sql: Sql, partnerId: number): Promise<ValidKey[]> {
  return db(sql)
    .selectFrom('partnerKeys')
    .select(['id', 'dateCreated', 'expiresAt'])
    .where('partnerId', '=', partnerId)
    .where((eb) => eb('expiresAt', 'is', null).or('expiresAt', '>', now))
    .orderBy('id', 'desc')
    .execute();
}

const now = raw<Date>`now()`;

/** The newest key, encrypted with the master key. */
export async function sealedKey(sql: Sql, partnerId: number): Promise<Buffer | undefined> {
  const key = await db(sql)
    .selectFrom('partnerKeys')
    .select('sealed')
    .where('partnerId', '=', partnerId)
    .where('expiresAt', 'is', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return key?.sealed;
}

const callerOfKey = defineStatement<PartnerFacts & { keyId: number; expiresAt: Date | null; hasChildren: boolean }>({
  name: 'find-key',
  text: `select keys.id as key_id, keys.expires_at, ${partnerFacts.text},
           exists (select from sales_partners child where child.parent_id = partner.id) as has_children
         from partner_keys keys join sales_partners partner on partner.id = keys.partner_id
         where keys.hash = $1 and (keys.expires_at is null or keys.expires_at > now())
           and partner.status = 'ACTIVE'`,
  columns: { keyId: 'int8', expiresAt: 'timestamptz', ...partnerFacts.columns, hasChildren: 'bool' },
});

export async function findKey(sql: Sql, privateKey: string): Promise<KnownKey | undefined> {
  const [found] = await run(sql, callerOfKey, [hashKey(privateKey)]);
  if (!found) return undefined;
  const { expiresAt, keyId, ...caller } = found;
  return { caller: { ...caller, countedAs: `key ${keyId}`, by: 'PRIVATE_TOKEN' }, expiresAt };
}

const callerOfPublicKey = defineStatement<PartnerFacts>({
  name: 'find-public-key',
  text: `select ${partnerFacts.text} from sales_partners partner where public_key = $1 and status = 'ACTIVE'`,
  columns: partnerFacts.columns,
});

/** Public keys do not expire. */
export async function findPublicKey(sql: Sql, publicKey: string): Promise<KnownKey | undefined> {
  const [found] = await run(sql, callerOfPublicKey, [publicKey]);
  if (!found) return undefined;
  const caller = { ...found, countedAs: `public key ${found.partnerId}`, by: 'PUBLIC_KEY' };
  return { caller, expiresAt: null };
}

/** The partner that owns a store finder. */
export async function findStoreKey(sql: Sql, storeKey: string): Promise<KnownKey | undefined> {
  const partner = await db(sql)
    .selectFrom('salesPartners')
    .select('publicKey')
    .where('id', '=', (eb) => eb.selectFrom('storeFinders').select('partnerId').where('storeKey', '=', storeKey))
    .executeTakeFirst();
  return partner && findPublicKey(sql, partner.publicKey);
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
  await lockPartner(transaction, partnerId);
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
  await lockPartner(transaction, partnerId);
  const { numUpdatedRows } = await db(transaction)
    .updateTable('partnerKeys')
    .set({ expiresAt: now })
    .where('partnerId', '=', partnerId)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await bumpRevisions(transaction, partnerId);
  transaction.notifyAfterCommit(partnersChannel);
  return true;
}

/** Serializes changes of one partner without blocking the insertion of rows that refer to it, such as webhooks. */
export async function lockPartner(transaction: Sql, partnerId: number): Promise<void> {
  await db(transaction).selectFrom('salesPartners').select('id').where('id', '=', partnerId).forNoKeyUpdate().execute();
}

async function endOfOverlap(sql: Sql, partnerId: number): Promise<Date | null> {
  const { until } = await db(sql)
    .selectFrom('partnerKeys')
    .select(({ fn }) => fn.max('expiresAt').as('until'))
    .where('partnerId', '=', partnerId)
    .where('expiresAt', '>', now)
    .executeTakeFirstOrThrow();
  return until;
}

const expireKeysOfPartner = defineStatement<{ ends: Date }>({
  name: 'expire-partner-keys',
  text: `with expired as (
           update partner_keys set expires_at = now() + make_interval(secs => $2)
           where partner_id = $1 and (expires_at is null or expires_at > now())
         )
         select now() + make_interval(secs => $2) as ends`,
  columns: { ends: 'timestamptz' },
});

async function expireKeys(sql: Sql, partnerId: number, afterSeconds: number): Promise<Date> {
  const [expired] = await run(sql, expireKeysOfPartner, [partnerId, afterSeconds]);
  return expired?.ends as Date;
}
