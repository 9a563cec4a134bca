import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import type { Sql } from '../database/connection.ts';
import { createPartner } from '../platform/partners/create-partner.ts';
import type { Platform } from './open-platform.ts';

const identifier = 'demo';
const adminEmail = 'admin@demo.example';

/** What `.data/demo.json` holds. */
export interface DemoCredentials {
  baseUrl: string;
  privateKey: string;
  publicKey: string;
  adminEmail: string;
  adminPassword: string;
  salesPartnerId: number;
}

/**
 * A partner to try things out with, made on the first start. Its credentials are drawn for this installation and
 * kept in a file that only its owner can read.
 */
export async function prepareDemo(platform: Platform, dataDir: string, baseUrl: string): Promise<DemoCredentials> {
  const path = join(dataDir, 'demo.json');
  const kept = await readCredentials(path);
  const partner = await findDemoPartner(platform.database.pool);
  const credentials =
    kept && partner?.id === kept.salesPartnerId
      ? { ...kept, baseUrl }
      : { baseUrl, ...(await renewCredentials(platform, partner?.id)) };
  await platform.database.pool.query("update sales_partners set status = 'ACTIVE' where identifier = $1", [identifier]);
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
  return credentials;
}

/** Demo credentials are good in demo mode only. */
export async function retireDemo({ database }: Platform): Promise<void> {
  await database.pool.query("update sales_partners set status = 'INACTIVE' where identifier = $1", [identifier]);
}

async function readCredentials(path: string): Promise<DemoCredentials | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return undefined;
  }
}

async function findDemoPartner(sql: Sql): Promise<{ id: number } | undefined> {
  const { rows } = await sql.query<{ id: number }>('select id from sales_partners where identifier = $1', [identifier]);
  return rows[0];
}

/** A new partner; or, where only the file was lost, the key that is still sealed and a new password. */
async function renewCredentials({ database, sealer }: Platform, known: number | undefined) {
  const adminPassword = randomBytes(12).toString('base64url');
  const passwordHash = await hash(adminPassword);
  return database.transaction(async (sql) => {
    const privateKey = known
      ? sealer.open(await currentKey(sql, known))
      : (await createPartner(sql, sealer, { identifier, name: 'Demo Partner' })).privateKey;
    const { rows } = await sql.query<{ id: number; public_key: string }>(
      'select id, public_key from sales_partners where identifier = $1',
      [identifier],
    );
    const partner = rows[0];
    if (!partner) throw new Error('The demo partner could not be created.');
    await sql.query(
      `insert into users (partner_id, email, password_hash, role) values ($1, $2, $3, 'ADMIN')
       on conflict (lower(email)) do update set password_hash = excluded.password_hash`,
      [partner.id, adminEmail, passwordHash],
    );
    return { privateKey, publicKey: partner.public_key, adminEmail, adminPassword, salesPartnerId: partner.id };
  });
}

async function currentKey(sql: Sql, partnerId: number): Promise<Buffer> {
  const { rows } = await sql.query<{ sealed: Buffer }>(
    'select sealed from partner_keys where partner_id = $1 and expires_at is null order by id desc limit 1',
    [partnerId],
  );
  if (!rows[0]) throw new Error('The demo partner has no private key.');
  return rows[0].sealed;
}
