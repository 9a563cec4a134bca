import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import type { Config } from '../config.ts';
import { createPartner } from '../platform/partners/create-partner.ts';
import type { Partner } from '../platform/partners/partner.ts';
import { sealedKey } from '../platform/partners/partner-keys.ts';
import { findPartnerByIdentifier, setPartnerStatus } from '../platform/partners/partner-store.ts';
import { insertAdmin, replacePassword } from '../platform/users/user-store.ts';
import { usualSeed } from '../product/demo/demo-location.ts';
import { orderFirstDemoData } from '../product/demo/demo-task.ts';
import type { Platform } from './open-platform.ts';

export const demoPartner = 'demo';
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
  const partner = await findPartnerByIdentifier(platform.database.pool, demoPartner);
  const isKnown = kept !== undefined && kept.salesPartnerId === partner?.id;
  const credentials = isKnown ? { ...kept, baseUrl } : { baseUrl, ...(await drawCredentials(platform, partner)) };
  await setPartnerStatus(platform.database.pool, demoPartner, 'ACTIVE');
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
  return credentials;
}

/** On the first start, has data made to look at. Answers how many locations that will be. */
export async function beginDemoData(
  { database }: Platform,
  partnerId: number,
  { sandbox, demoLocations: locations }: Pick<Config, 'sandbox' | 'demoLocations'>,
): Promise<number> {
  // Its pages and reviews live on the sandbox directories; it can be asked for later, when there are some.
  if (!sandbox) return 0;
  const partner = { id: partnerId, identifier: demoPartner };
  const task = await database.transaction((transaction) =>
    orderFirstDemoData(transaction, partner, { locations, seed: usualSeed }),
  );
  return task ? locations : 0;
}

/** Demo credentials are good in demo mode only. */
export async function retireDemo({ database }: Platform): Promise<void> {
  await setPartnerStatus(database.pool, demoPartner, 'INACTIVE');
}

async function readCredentials(path: string): Promise<DemoCredentials | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Those of a new partner; or, where only the file was lost, the key that is still sealed and a new password. */
async function drawCredentials({ database, sealer }: Platform, known: Partner | undefined) {
  const adminPassword = randomBytes(12).toString('base64url');
  const passwordHash = await hash(adminPassword);
  return database.transaction(async (sql) => {
    const sealed = known && (await sealedKey(sql, known.id));
    const { partner, privateKey } =
      known && sealed
        ? { partner: known, privateKey: sealer.open(sealed) }
        : await createPartner(sql, sealer, { identifier: demoPartner, name: 'Demo Partner' });
    const admin = { partnerId: partner.id, email: adminEmail, passwordHash };
    if (!(await replacePassword(sql, admin))) await insertAdmin(sql, admin);
    return { privateKey, publicKey: partner.publicKey, adminEmail, adminPassword, salesPartnerId: partner.id };
  });
}
