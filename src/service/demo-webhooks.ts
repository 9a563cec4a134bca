import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { db, raw } from '../database/query-builder.ts';
import type { Transaction } from '../database/transaction.ts';
import type { EventTypeName } from '../events/catalogue/catalogue.ts';
import { newWebhookSecret } from '../events/signing/keys.ts';
import { changedSettings, newSettings } from '../events/subscriptions/webhook.ts';
import { checkTargets } from '../events/subscriptions/webhook-routes.ts';
import { insertWebhook, listWebhooks, updateWebhook } from '../events/subscriptions/webhook-store.ts';
import { recordAudit } from '../http/audit-trail.ts';
import { findPartnerByIdentifier, type Partner, systemActor } from '../modules/accounts/index.ts';
import { type ReceiverMode, SandboxControl, SandboxError } from '../modules/directories/index.ts';
import { Problem } from '../problems.ts';
import { demoPartner } from './demo.ts';
import type { Service } from './service.ts';

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

const marker = 'demo-webhooks';

/** Creates the webhooks of the demo partner once. Later starts update their URLs if the port of the receiver changed. */
export async function prepareDemoWebhooks(service: Service, config: Config, log: Logger): Promise<void> {
  if (!service.sandbox || config.demoLocations === 0) return;
  const partner = await findPartnerByIdentifier(service.database.pool, demoPartner);
  // An external sandbox is not on loopback, and other installations use its receiver too.
  if (!partner || config.sandboxUrl !== undefined) return;
  const control = new SandboxControl(service.sandbox);
  try {
    await checkTargets(
      { pushUrl: control.receiverUrl('') },
      { allow: config.allowTargets, requireHttps: config.requireHttps },
    );
    const created = await db(service.database.pool)
      .selectFrom('installation')
      .select('name')
      .where('name', '=', marker)
      .executeTakeFirst();
    if (!created) await createWebhooks(service, control, partner);
    else await updateWebhookUrls(service, control, partner);
  } catch (error) {
    if (!(error instanceof SandboxError || error instanceof Problem)) throw error;
    log.warn({ event: 'demo.webhooks-failed', err: error }, 'The demo webhooks could not be created');
  }
}

async function createWebhooks({ database, sealer }: Service, control: SandboxControl, partner: Partner): Promise<void> {
  for (const { endpoint, mode } of demoWebhooks) await control.setReceiver(endpoint, mode);
  await database.transaction(async (transaction) => {
    if (!(await insertMarker(transaction))) return;
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

/** Concurrent starts create the webhooks once. */
async function insertMarker(transaction: Transaction): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db(transaction)
    .insertInto('installation')
    .values({ name: marker, value: raw`now()::text` })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
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
