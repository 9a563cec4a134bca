import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Config, ConfigurationProblem } from '../config.ts';
import type { Sql } from '../database/connection.ts';
import { lockName } from '../database/transaction.ts';
import type { EventTypeName } from '../events/catalogue/catalogue.ts';
import { newWebhookSecret } from '../events/signing/keys.ts';
import type { Sealer } from '../events/signing/sealer.ts';
import { changedSettings, newSettings } from '../events/subscriptions/webhook.ts';
import { checkTargets } from '../events/subscriptions/webhook-routes.ts';
import { insertWebhook, listWebhooks, updateWebhook } from '../events/subscriptions/webhook-store.ts';
import { recordAudit } from '../http/audit-trail.ts';
import {
  createPartner,
  findLoginCandidates,
  findPartner,
  findPartnerByIdentifier,
  hashPassword,
  insertAdmin,
  issueKey,
  type Partner,
  replacePassword,
  sealedKey,
  setPartnerStatus,
  systemActor,
  verifyPassword,
} from '../modules/accounts/index.ts';
import { type DemoData, defaultSeed, findDemoData, requestInitialDemoData } from '../modules/demo/index.ts';
import { type ReceiverMode, SandboxControl, SandboxError } from '../modules/directories/index.ts';
import { Problem } from '../problems.ts';
import { addValue, findValue, setValue } from './installation.ts';
import type { Platform } from './open-platform.ts';
import type { Service } from './service.ts';

const demoIdentifier = 'demo';
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
export function prepareDemo(platform: Platform, dataDir: string, baseUrl: string): Promise<DemoCredentials> {
  return platform.database.transaction(async (transaction) => {
    // Until the file is written: concurrent first starts would create the partner twice or replace its password.
    await lockName(transaction, 'demo partner');
    return prepareCredentials(platform, join(dataDir, 'demo.json'), baseUrl);
  });
}

async function prepareCredentials(platform: Platform, path: string, baseUrl: string): Promise<DemoCredentials> {
  const stored = await readCredentials(path);
  const partner = await findDemoPartner(platform.database.pool);
  const isSamePartner = stored !== undefined && stored.salesPartnerId === partner?.id;
  const credentials = {
    // A second process must not replace the URL of a running service.
    baseUrl: stored && (await isRunning(stored.baseUrl)) ? stored.baseUrl : baseUrl,
    ...(await currentCredentials(platform, partner, isSamePartner ? stored : undefined)),
  };
  if (partner) await setPartnerStatus(platform.database.pool, partner.identifier, 'ACTIVE');
  await writeCredentials(path, credentials);
  return credentials;
}

async function writeCredentials(path: string, credentials: DemoCredentials): Promise<void> {
  const temporaryPath = `${path}.${process.pid}`;
  try {
    await writeFile(temporaryPath, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
    await rename(temporaryPath, path);
  } catch (error) {
    await rm(temporaryPath, { force: true });
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

/** Requests demo data on the first start. Returns its progress, or undefined without demo data. */
export async function startDemoData(
  { database }: Platform,
  partnerId: number,
  { sandbox, demoLocations: locations }: Pick<Config, 'sandbox' | 'demoLocations'>,
): Promise<DemoData | undefined> {
  const partner = await findDemoPartner(database.pool);
  // Demo data needs the sandbox. Without it, a later start with the sandbox creates the data.
  if (sandbox && partner) {
    await database.transaction((transaction) =>
      requestInitialDemoData(transaction, partner, { locations, seed: defaultSeed }),
    );
  }
  return findDemoData(database.pool, partnerId);
}

/** Called outside demo mode, so that the demo credentials are rejected. */
export async function disableDemoPartner({ database }: Platform): Promise<void> {
  const partner = await findDemoPartner(database.pool);
  if (partner) await setPartnerStatus(database.pool, partner.identifier, 'INACTIVE');
}

const partnerMarker = 'demo-partner';

/** By its id: another partner can have the identifier of the demo partner, and the demo partner another identifier. */
export async function findDemoPartner(sql: Sql): Promise<Partner | undefined> {
  const id = await findValue(sql, partnerMarker);
  return id === undefined ? undefined : findPartner(sql, Number(id), Number(id));
}

export async function createDemoPartner(sql: Sql, sealer: Sealer): Promise<{ partner: Partner; privateKey: string }> {
  if (await findPartnerByIdentifier(sql, demoIdentifier))
    throw new ConfigurationProblem(
      `A partner has the identifier "${demoIdentifier}", which the demo partner needs. Change it, or set WAYPOST_DEMO to off.`,
    );
  const created = await createPartner(sql, sealer, { identifier: demoIdentifier, name: 'Demo Partner' });
  await setValue(sql, partnerMarker, String(created.partner.id));
  return created;
}

/** Undefined if the file is missing or invalid. `prepareDemo` then writes a new one. */
async function readCredentials(path: string): Promise<DemoCredentials | undefined> {
  try {
    const stored = JSON.parse(await readFile(path, 'utf8'));
    return typeof stored?.baseUrl === 'string' && typeof stored.salesPartnerId === 'number' ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** Credentials of a new partner, or the current key with the stored password if it is still valid. */
async function currentCredentials(
  { database, sealer }: Platform,
  existingPartner: Partner | undefined,
  stored: DemoCredentials | undefined,
): Promise<Omit<DemoCredentials, 'baseUrl'>> {
  const [current] = existingPartner
    ? await findLoginCandidates(database.pool, { email: adminEmail }, existingPartner.id)
    : [];
  const { user, passwordHash: currentHash } = current ?? {};
  // Without the file, the password is lost. With it, a different password was set by the administrator.
  const needsPassword = !stored || !user;
  const newPassword = randomBytes(12).toString('base64url');
  const isStoredPasswordValid =
    stored?.adminPassword !== undefined && (await verifyPassword(stored.adminPassword, currentHash));
  const adminPassword = needsPassword ? newPassword : isStoredPasswordValid ? stored.adminPassword : undefined;
  const passwordHash = needsPassword ? await hashPassword(newPassword) : undefined;
  return database.transaction(async (sql) => {
    const { partner, privateKey } = existingPartner
      ? { partner: existingPartner, privateKey: await currentKey(sql, sealer, existingPartner.id) }
      : await createDemoPartner(sql, sealer);
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

interface DemoWebhook {
  endpoint: string;
  mode: ReceiverMode;
  type: EventTypeName;
  name: string;
}

const legacyErp = 'legacy ERP, set to fail in the sandbox panel';

const demoWebhooks: readonly DemoWebhook[] = [
  { endpoint: 'crm', mode: 'accept', type: 'LOCATION_CREATED', name: 'CRM' },
  { endpoint: 'review-alerts', mode: 'accept', type: 'LISTING_DATAPOINT_CHECK', name: 'review alerts' },
  { endpoint: 'listing-monitor', mode: 'accept', type: 'LISTING_UPDATE', name: 'listing monitor' },
  { endpoint: 'data-warehouse', mode: 'accept', type: 'LISTING_SYNC_CHECK', name: 'data warehouse' },
  { endpoint: 'legacy-erp', mode: 'fail', type: 'LOCATION_STATUS_CHANGED', name: legacyErp },
];

const webhooksMarker = 'demo-webhooks';

/** Creates the webhooks of the demo partner once. Later starts update their URLs if the port of the receiver changed. */
export async function prepareDemoWebhooks(service: Service, config: Config, log: Logger): Promise<void> {
  if (!service.sandbox || config.demoLocations === 0) return;
  const partner = await findDemoPartner(service.database.pool);
  // An external sandbox is not on loopback, and other installations use its receiver too.
  if (!partner || config.sandboxUrl !== undefined) return;
  const control = new SandboxControl(service.sandbox);
  try {
    await checkTargets(
      { pushUrl: control.receiverUrl('') },
      { allow: config.allowTargets, requireHttps: config.requireHttps },
    );
    const createdAt = await findValue(service.database.pool, webhooksMarker);
    await addMissingEndpoints(control);
    if (createdAt === undefined) await createWebhooks(service, control, partner);
    else await updateWebhookUrls(service, control, partner);
  } catch (error) {
    if (!(error instanceof SandboxError || error instanceof Problem)) throw error;
    log.warn({ event: 'demo.webhooks-failed', err: error }, 'The demo webhooks could not be created');
  }
}

/** Also after the sandbox has lost its data. The mode of an endpoint is kept. */
async function addMissingEndpoints(control: SandboxControl): Promise<void> {
  const { endpoints } = await control.receiverEndpoints();
  for (const { endpoint, mode } of demoWebhooks)
    if (!endpoints.some(({ name }) => name === endpoint)) await control.setReceiver(endpoint, mode);
}

async function createWebhooks({ database, sealer }: Service, control: SandboxControl, partner: Partner): Promise<void> {
  await database.transaction(async (transaction) => {
    // Concurrent starts create the webhooks once.
    if (!(await addValue(transaction, webhooksMarker, new Date().toISOString()))) return;
    for (const { endpoint, type, name } of demoWebhooks) {
      const pushUrl = control.receiverUrl(endpoint);
      const settings = newSettings({ pushUrl, type, description: `Demo receiver: ${name}` });
      const subjectId = await insertWebhook(transaction, partner.id, settings, {
        secret: sealer.seal(newWebhookSecret()),
      });
      const details = { type, pushUrl };
      await recordAudit(transaction, systemActor(partner), 'CREATED', 'WEBHOOK', subjectId, details);
    }
  });
}

async function updateWebhookUrls({ database }: Service, control: SandboxControl, partner: Partner): Promise<void> {
  await database.transaction(async (transaction) => {
    for (const webhook of await listWebhooks(transaction, partner.id, { partnerId: partner.id })) {
      const endpoint = demoWebhooks.find(({ endpoint }) => isEndpoint(webhook.pushUrl, endpoint))?.endpoint;
      const pushUrl = endpoint && control.receiverUrl(endpoint);
      if (!pushUrl || pushUrl === webhook.pushUrl) continue;
      await updateWebhook(transaction, webhook.id, changedSettings(webhook, { pushUrl }).settings);
    }
  });
}

const isEndpoint = (url: string, endpoint: string) =>
  /^http:\/\/127\.0\.0\.1:\d+\/demo-receiver\//.test(url) && url.endsWith(`/demo-receiver/${endpoint}`);
