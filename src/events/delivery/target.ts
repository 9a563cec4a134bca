import type { KeyObject } from 'node:crypto';
import type { Selectable } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Sql } from '../../database/connection.ts';
import { db } from '../../database/query-builder.ts';
import type { DB } from '../../database/schema.ts';
import { defineStatement, run, selectionOf } from '../../database/statement.ts';
import { orderKey } from '../outbox/record-event.ts';
import { cloudEventHeaders } from '../signing/cloud-events.ts';
import type { Sealer } from '../signing/sealer.ts';
import {
  asymmetricSignature,
  deliveryBody,
  eventKey,
  type HmacKey,
  signEvent,
  signingKey,
  standardKey,
  standardSignature,
} from '../signing/signature.ts';
import {
  type ClientCertificate,
  type ClientIdentity,
  type CustomHeaders,
  type OAuthClient,
  type OAuthCredentials,
  openHeaders,
  openIdentity,
  openOAuth,
  openQueueCredentials,
  openWebhookSecret,
} from '../signing/webhook-credentials.ts';
import { originOf, type TargetQueue, targetQueue } from '../transport/queues/queue-url.ts';
import type { PushRequest } from '../transport/transport.ts';
import type { DueDelivery } from './delivery-queue.ts';
import type { Health } from './health.ts';
import { type HealthRow, healthColumns, healthOf, selectedHealth } from './health-store.ts';

/** Everything that determines the headers and the body of a request, with decrypted keys and secrets. */
export interface SigningSettings {
  webhookId: number;
  partnerId: number;
  /** Private keys of the partner that owns the webhook, oldest first. */
  privateKeys: readonly PrivateKey[];
  secret: SecretKeys;
  previousSecret: { keys: SecretKeys; expiresAt: Date } | null;
  headers: CustomHeaders;
  cloudEvents?: boolean;
}

/** Everything needed to send to a webhook. */
export interface Target extends SigningSettings {
  revision: number;
  url: string;
  origin: string;
  oauth?: OAuthCredentials | undefined;
  identity?: ClientIdentity | undefined;
  /** If the push URL names a queue. */
  queue?: TargetQueue | undefined;
  retrySchedule: readonly number[] | null;
  maxPerSecond: number | null;
  /** Default: that of the sender. */
  timeoutMs?: number | undefined;
  ordered: boolean;
  health: Health;
}

export interface PrivateKey {
  id: number;
  key: HmacKey;
  expiresAt: Date | null;
}

export interface SecretKeys {
  standard: HmacKey;
  /** If the webhook wants asymmetric signatures. */
  asymmetric: KeyObject | undefined;
}

export async function loadTarget(sql: Sql, sealer: Sealer, webhookId: number): Promise<Target | undefined> {
  const [row] = await run(sql, loadStatement, [webhookId]);
  return row && targetOf(sealer, row);
}

function targetOf(sealer: Sealer, row: TargetRow): Target {
  const identity = openIdentity(sealer, row.clientCertificate, row.clientKey);
  const credentials = openQueueCredentials(sealer, row.queueCredentials);
  return {
    webhookId: row.webhookId,
    partnerId: row.partnerId,
    revision: row.revision,
    url: row.pushUrl,
    origin: originOf(row.pushUrl) ?? row.pushUrl,
    retrySchedule: row.retrySchedule,
    privateKeys: openPrivateKeys(sealer, row, row.sealedKeys),
    ...openSecrets(sealer, row),
    headers: openHeaders(sealer, row.headers),
    oauth: openOAuth(sealer, row.oauth, row.oauthSecret),
    identity,
    queue: targetQueue({ ...row, credentials, identity }),
    cloudEvents: row.cloudEvents,
    maxPerSecond: row.maxPerSecond,
    timeoutMs: row.timeoutSeconds === null ? undefined : row.timeoutSeconds * 1000,
    ordered: row.ordered,
    health: healthOf(row),
  };
}

interface KeyColumns {
  keyIds: readonly number[];
  keyExpiries: readonly (Date | null)[];
}

export const openPrivateKeys = (
  sealer: Sealer,
  { keyIds, keyExpiries }: KeyColumns,
  sealedKeys: readonly Buffer[],
): PrivateKey[] =>
  keyIds.map((id, index) => ({
    id,
    key: eventKey(sealer.open(sealedKeys[index] as Buffer)),
    expiresAt: keyExpiries[index] ?? null,
  }));

type SealedSecrets = Pick<
  Selectable<DB['webhooks']>,
  'secret' | 'previousSecret' | 'previousSecretExpiresAt' | 'asymmetricSignature'
>;

export function openSecrets(sealer: Sealer, row: SealedSecrets): Pick<Target, 'secret' | 'previousSecret'> {
  const { previousSecret, previousSecretExpiresAt: expiresAt, asymmetricSignature } = row;
  const keysOf = (sealed: Buffer): SecretKeys => {
    const { secret, seed } = openWebhookSecret(sealer, sealed);
    return { standard: standardKey(secret), asymmetric: asymmetricSignature ? signingKey(seed) : undefined };
  };
  return {
    secret: keysOf(row.secret),
    previousSecret: previousSecret && expiresAt ? { keys: keysOf(previousSecret), expiresAt } : null,
  };
}

const webhookColumns = {
  partnerId: 'int8',
  revision: 'int4',
  pushUrl: 'text',
  type: 'text',
  queueCredentials: 'bytea',
  retrySchedule: 'int4[]',
  secret: 'bytea',
  previousSecret: 'bytea',
  previousSecretExpiresAt: 'timestamptz',
  headers: 'bytea',
  oauth: 'jsonb',
  oauthSecret: 'bytea',
  clientCertificate: 'jsonb',
  clientKey: 'bytea',
  cloudEvents: 'bool',
  maxPerSecond: 'int4',
  timeoutSeconds: 'int4',
  asymmetricSignature: 'bool',
  ordered: 'bool',
} as const;

const targetColumns = {
  ...webhookColumns,
  ...healthColumns,
  keyIds: 'int8[]',
  sealedKeys: 'bytea[]',
  keyExpiries: 'timestamptz[]',
} as const;

interface TargetRow extends HealthRow, KeyColumns, Pick<Selectable<DB['webhooks']>, keyof typeof webhookColumns> {
  oauth: OAuthClient | null;
  clientCertificate: ClientCertificate | null;
  sealedKeys: Buffer[];
}

const selectTargets = `
  select ${selectionOf(webhookColumns, 'webhooks')}, header_names, ${selectedHealth},
    array_agg(keys.id order by keys.id) as key_ids,
    array_agg(keys.sealed order by keys.id) as sealed_keys,
    array_agg(keys.expires_at order by keys.id) as key_expiries
  from webhooks
  join partner_keys keys on keys.partner_id = webhooks.partner_id and (expires_at is null or expires_at > now())
  join webhook_health on webhook_health.webhook_id = webhooks.id
  where webhooks.id = $1
  group by webhooks.id, webhook_health.webhook_id`;

const loadStatement = defineStatement<TargetRow>({
  name: 'load-target',
  text: `select ${selectionOf(targetColumns)} from (${selectTargets}) as target`,
  columns: targetColumns,
});

// Stores the loaded settings, so that the log can reproduce the requests (decision 55).
const loadToSendStatement = defineStatement<TargetRow & { settingsId: number }>({
  name: 'load-target-to-send',
  text: `
    with target as (${selectTargets}), settings as (
      insert into request_settings
        (webhook_id, revision, user_agent, header_names, sends_token, cloud_events, asymmetric_signature, secret, previous_secret,
         previous_secret_expires_at, key_ids, key_expiries)
      select webhook_id, revision, $2, header_names, oauth is not null, cloud_events, asymmetric_signature, secret, previous_secret,
        previous_secret_expires_at, key_ids, key_expiries
      from target
      on conflict (webhook_id, revision, user_agent, key_ids, key_expiries) do update set loaded_at = now()
      returning id, webhook_id
    )
    select ${selectionOf(targetColumns, 'target')}, settings.id as settings_id
    from target join settings on settings.webhook_id = target.webhook_id`,
  columns: { ...targetColumns, settingsId: 'int8' },
});

export interface SignedRequest extends PushRequest {
  signedAt: Date;
}

/** The request for an event: signed body and Standard Webhooks headers. */
export function signedRequest(
  target: Target,
  event: { id: number; text: string },
  { now, userAgent }: { now: Date; userAgent: string },
): SignedRequest {
  const body = deliveryBody(event.text, signEvent(bodyKey(target, now).key, event.text));
  return {
    url: target.url,
    headers: signedHeaders(target, event, body, { now, userAgent }),
    body,
    signedAt: now,
    owner: target.partnerId,
    timeoutMs: target.timeoutMs,
    oauth: target.oauth,
    identity: target.identity,
    queue: target.queue,
    group: target.queue && groupOf(event.text),
  };
}

/** Brokers keep the order of a group: events with the same key of `orderKey`. */
function groupOf(eventText: string): string {
  const key = orderKey(JSON.parse(eventText));
  if (key > 0) return `locations/${key}`;
  return key < 0 ? `businesses/${-key}` : 'others';
}

/** Custom headers and those of Standard Webhooks, which sign the body. */
export function signedHeaders(
  target: SigningSettings,
  event: { id: number; text: string },
  body: string,
  { now, userAgent }: { now: Date; userAgent: string },
): Record<string, string> {
  const id = String(event.id);
  const timestamp = Math.floor(now.getTime() / 1000);
  let signatures = signaturesOf(target.secret, id, timestamp, body);
  const previous = previousSecretAt(target, now);
  if (previous) signatures += ` ${signaturesOf(previous, id, timestamp, body)}`;
  const headers: Record<string, string> = {
    ...target.headers,
    'content-type': 'application/json',
    'user-agent': userAgent,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures,
  };
  if (target.cloudEvents) Object.assign(headers, cloudEventHeaders(event.text));
  return headers;
}

function signaturesOf({ standard, asymmetric }: SecretKeys, id: string, timestamp: number, body: string): string {
  const signature = standardSignature(standard, id, timestamp, body);
  return asymmetric ? `${signature} ${asymmetricSignature(asymmetric, id, timestamp, body)}` : signature;
}

/** The old key signs until its overlap ends: the body has one signature, and receivers need time to adopt the new key. */
export function bodyKey(target: SigningSettings, now: Date): PrivateKey {
  const valid = target.privateKeys.find(({ expiresAt }) => expiresAt === null || expiresAt > now);
  if (!valid) throw new Error(`The partner of webhook ${target.webhookId} has no valid private key.`);
  return valid;
}

/** The keys of the previous secret, during a rotation. */
export const previousSecretAt = ({ previousSecret }: SigningSettings, now: Date): SecretKeys | undefined =>
  previousSecret && previousSecret.expiresAt > now ? previousSecret.keys : undefined;

/** A target with the id of its row in `request_settings`. */
export interface SendTarget extends Target {
  settingsId: number;
}

const maxCached = 5000;
/** `request_settings` records when settings were loaded last; upkeep deletes rows by this time. */
const maxCachedMs = 86_400_000;

/** Caches targets by revision: a change of URL, secret or key applies to the next attempt. */
export class TargetCache {
  readonly #sql: Sql;
  readonly #sealer: Sealer;
  readonly #userAgent: string;
  readonly #cached = new LRUCache<number, SendTarget>({ max: maxCached, ttl: maxCachedMs });

  constructor(sql: Sql, sealer: Sealer, userAgent: string) {
    this.#sql = sql;
    this.#sealer = sealer;
    this.#userAgent = userAgent;
  }

  clear(): void {
    this.#cached.clear();
  }

  /** All deliveries must be of the same webhook. */
  async get([first]: readonly Pick<DueDelivery, 'webhookId' | 'revision'>[]): Promise<SendTarget | undefined> {
    if (!first) return undefined;
    const known = this.#cached.get(first.webhookId);
    if (known && known.revision >= first.revision) return known;
    const [row] = await run(this.#sql, loadToSendStatement, [first.webhookId, this.#userAgent]);
    if (!row) return undefined;
    const loaded = { ...targetOf(this.#sealer, row), settingsId: row.settingsId };
    this.#cached.set(first.webhookId, loaded);
    return loaded;
  }
}

/** Deletes settings that no attempt in the log refers to. */
export async function deleteOldRequestSettings(sql: Sql, oldestAttempt: Date): Promise<number> {
  const { numDeletedRows } = await db(sql)
    .deleteFrom('requestSettings')
    .where('loadedAt', '<', new Date(oldestAttempt.getTime() - 2 * maxCachedMs))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
