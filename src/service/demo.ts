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

/** The content of `.data/demo.json`. */
export interface DemoCredentials {
  baseUrl: string;
  privateKey: string;
  publicKey: string;
  adminEmail: string;
  /** Absent if the administrator changed the password. */
  adminPassword?: string;
  salesPartnerId: number;
}

/** Creates the demo partner on the first start and stores its generated credentials in a private file. */
export async function prepareDemo(platform: Platform, dataDir: string, baseUrl: string): Promise<DemoCredentials> {
  const path = join(dataDir, 'demo.json');
  const kept = await readCredentials(path);
  const partner = await findPartnerByIdentifier(platform.database.pool, demoPartner);
  const isKnown = kept !== undefined && kept.salesPartnerId === partner?.id;
  const credentials = {
    // A second process does not replace the URL of a running one.
    baseUrl: kept && (await isRunning(kept.baseUrl)) ? kept.baseUrl : baseUrl,
    ...(await currentCredentials(platform, partner, isKnown ? kept : undefined)),
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
      `The demo credentials cannot be written to ${path} (${code}). Remove the existing entry and make the folder ` +
        'writable for this user, or set WAYPOST_DEMO to off.',
    );
  }
}

async function isRunning(baseUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/health/live`, { redirect: 'error', signal: AbortSignal.timeout(1000) });
    const { response: health } = (await response.json()) as { response?: { live?: boolean } };
    return health?.live === true;
  } catch {
    return false;
  }
}

/** Enqueues demo data on the first start and returns its progress; undefined without demo data. */
export async function startDemoData(
  { database }: Platform,
  partnerId: number,
  { sandbox, demoLocations: locations }: Pick<Config, 'sandbox' | 'demoLocations'>,
): Promise<DemoData | undefined> {
  const partner = { id: partnerId, identifier: demoPartner };
  // Demo data needs the sandbox directories; it can be created later.
  if (sandbox) {
    await database.transaction((transaction) =>
      requestInitialDemoData(transaction, partner, { locations, seed: defaultSeed }),
    );
  }
  return findDemoData(database.pool, partnerId);
}

/** Demo credentials are valid in demo mode only. */
export async function disableDemoPartner({ database }: Platform): Promise<void> {
  await setPartnerStatus(database.pool, demoPartner, 'INACTIVE');
}

/** Undefined if the file is missing or invalid; it is written again. */
async function readCredentials(path: string): Promise<DemoCredentials | undefined> {
  try {
    const kept = JSON.parse(await readFile(path, 'utf8'));
    return typeof kept?.baseUrl === 'string' && typeof kept.salesPartnerId === 'number' ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Credentials of a new partner, or the current key with the stored password if it is still valid. */
async function currentCredentials(
  { database, sealer }: Platform,
  known: Partner | undefined,
  kept: DemoCredentials | undefined,
): Promise<Omit<DemoCredentials, 'baseUrl'>> {
  const [current] = known ? await findLoginCandidates(database.pool, { email: adminEmail }, known.id) : [];
  const { user, passwordHash: currentHash } = current ?? {};
  // Without the file the password is lost. With the file, a different password was chosen by the administrator.
  const needsPassword = !kept || !user;
  const newPassword = randomBytes(12).toString('base64url');
  const isKept = kept?.adminPassword !== undefined && (await verifyPassword(kept.adminPassword, currentHash));
  const adminPassword = needsPassword ? newPassword : isKept ? kept.adminPassword : undefined;
  const passwordHash = needsPassword ? await hashPassword(newPassword) : undefined;
  return database.transaction(async (sql) => {
    const { partner, privateKey } = known
      ? { partner: known, privateKey: await currentKey(sql, sealer, known.id) }
      : await createPartner(sql, sealer, { identifier: demoPartner, name: 'Demo Partner' });
    if (passwordHash) {
      const admin = { partnerId: partner.id, email: adminEmail, passwordHash };
      if (!(await replacePassword(sql, admin))) await insertAdmin(sql, admin);
    }
    const { id: salesPartnerId, publicKey } = partner;
    return { privateKey, publicKey, adminEmail, ...(adminPassword && { adminPassword }), salesPartnerId };
  });
}

async function currentKey(sql: Sql, sealer: Sealer, partnerId: number): Promise<string> {
  const sealed = await sealedKey(sql, partnerId);
  return sealed ? sealer.open(sealed) : issueKey(sql, sealer, partnerId);
}
