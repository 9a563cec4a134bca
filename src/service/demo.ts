import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, ConfigurationProblem } from '../config.ts';
import type { Sql } from '../database/connection.ts';
import type { Sealer } from '../events/signing/sealer.ts';
import {
  createPartner,
  findLoginCandidates,
  findPartnerByIdentifier,
  hashPassword,
  insertAdmin,
  issueKey,
  type Partner,
  replacePassword,
  sealedKey,
  setPartnerStatus,
  verifyPassword,
} from '../modules/accounts/index.ts';
import { type DemoData, defaultSeed, findDemoData, requestInitialDemoData } from '../modules/demo/index.ts';
import type { Platform } from './open-platform.ts';

export const demoPartner = 'demo';
const adminEmail = 'admin@demo.example';

/** What `.data/demo.json` holds. */
export interface DemoCredentials {
  baseUrl: string;
  privateKey: string;
  publicKey: string;
  adminEmail: string;
  /** Unless the administrator has set one of his own, which nobody knows but he. */
  adminPassword?: string;
  salesPartnerId: number;
}

/**
 * A partner to try things out with, made on the first start. Its credentials are drawn for this installation and
 * kept in a file that only its owner can read. Those that were changed since are brought up to date there.
 */
export async function prepareDemo(platform: Platform, dataDir: string, baseUrl: string): Promise<DemoCredentials> {
  const path = join(dataDir, 'demo.json');
  const kept = await readCredentials(path);
  const partner = await findPartnerByIdentifier(platform.database.pool, demoPartner);
  const isKnown = kept !== undefined && kept.salesPartnerId === partner?.id;
  const credentials = {
    // "waypost serve" beside a running Waypost leaves the commands with that one.
    baseUrl: kept && (await isRunning(kept.baseUrl)) ? kept.baseUrl : baseUrl,
    ...(await goodCredentials(platform, partner, isKnown ? kept : undefined)),
  };
  await setPartnerStatus(platform.database.pool, demoPartner, 'ACTIVE');
  await writeCredentials(path, credentials);
  return credentials;
}

async function writeCredentials(path: string, credentials: DemoCredentials): Promise<void> {
  const draft = `${path}.${process.pid}`;
  try {
    await writeFile(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigurationProblem(
      `The demo credentials cannot be written to ${path} (${code}): move away what is there and make the folder ` +
        'writable for this user, or set WAYPOST_DEMO to off.',
    );
  }
}

/** Whether a Waypost responds there. */
async function isRunning(baseUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/health/live`, { redirect: 'error', signal: AbortSignal.timeout(1000) });
    const { response: health } = (await response.json()) as { response?: { live?: boolean } };
    return health?.live === true;
  } catch {
    return false;
  }
}

/** Orders demo data on the first start. Answers how far it is; undefined where there is none. */
export async function startDemoData(
  { database }: Platform,
  partnerId: number,
  { sandbox, demoLocations: locations }: Pick<Config, 'sandbox' | 'demoLocations'>,
): Promise<DemoData | undefined> {
  const partner = { id: partnerId, identifier: demoPartner };
  // Its listings and reviews live on the sandbox directories; without them it can be ordered later.
  if (sandbox) {
    await database.transaction((transaction) =>
      requestInitialDemoData(transaction, partner, { locations, seed: defaultSeed }),
    );
  }
  return findDemoData(database.pool, partnerId);
}

/** Demo credentials are good in demo mode only. */
export async function disableDemoPartner({ database }: Platform): Promise<void> {
  await setPartnerStatus(database.pool, demoPartner, 'INACTIVE');
}

/** Undefined where there are none, or where the file holds something else: it is written again. */
async function readCredentials(path: string): Promise<DemoCredentials | undefined> {
  try {
    const kept = JSON.parse(await readFile(path, 'utf8'));
    return typeof kept?.baseUrl === 'string' && typeof kept.salesPartnerId === 'number' ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Those of a new partner; or the key that is in force, with the password of the file as long as it is good. */
async function goodCredentials(
  { database, sealer }: Platform,
  known: Partner | undefined,
  kept: DemoCredentials | undefined,
): Promise<Omit<DemoCredentials, 'baseUrl'>> {
  const [present] = known ? await findLoginCandidates(database.pool, { email: adminEmail }, known.id) : [];
  const { user, passwordHash: presentHash } = present ?? {};
  // Without the file nobody may know the password any more; with it, another one was chosen by somebody who does.
  const isToBeDrawn = !kept || !user;
  const drawn = randomBytes(12).toString('base64url');
  const isKept = kept?.adminPassword !== undefined && (await verifyPassword(kept.adminPassword, presentHash));
  const adminPassword = isToBeDrawn ? drawn : isKept ? kept.adminPassword : undefined;
  const passwordHash = isToBeDrawn ? await hashPassword(drawn) : undefined;
  return database.transaction(async (sql) => {
    const { partner, privateKey } = known
      ? { partner: known, privateKey: await presentKey(sql, sealer, known.id) }
      : await createPartner(sql, sealer, { identifier: demoPartner, name: 'Demo Partner' });
    if (passwordHash) {
      const admin = { partnerId: partner.id, email: adminEmail, passwordHash };
      if (!(await replacePassword(sql, admin))) await insertAdmin(sql, admin);
    }
    const { id: salesPartnerId, publicKey } = partner;
    return { privateKey, publicKey, adminEmail, ...(adminPassword && { adminPassword }), salesPartnerId };
  });
}

async function presentKey(sql: Sql, sealer: Sealer, partnerId: number): Promise<string> {
  const sealed = await sealedKey(sql, partnerId);
  return sealed ? sealer.open(sealed) : issueKey(sql, sealer, partnerId);
}
