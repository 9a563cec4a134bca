import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Sql } from '../../database/connection.ts';
import { defineStatement, run } from '../../database/statement.ts';
import { asymmetricSignature, signingKey } from '../signing/ed25519.ts';
import { type CustomHeaders, openHeaders } from '../signing/sealed-headers.ts';
import type { Sealer } from '../signing/sealer.ts';
import {
  deliveryBody,
  eventKey,
  type HmacKey,
  signEvent,
  standardKey,
  standardSignature,
} from '../signing/signature.ts';
import type { DueDelivery } from './delivery-queue.ts';
import type { Health } from './health.ts';
import { type HealthRow, healthColumns, healthOf, selectedHealth } from './health-store.ts';

/** Everything needed to send to a webhook, with decrypted keys and secrets. */
export interface Target {
  webhookId: number;
  partnerId: number;
  revision: number;
  url: string;
  origin: string;
  retrySchedule: readonly number[] | null;
  /** Private keys of the partner that owns the webhook, oldest first. */
  privateKeys: readonly { key: HmacKey; expiresAt: Date | null }[];
  secret: SecretKeys;
  previousSecret: { keys: SecretKeys; expiresAt: Date } | null;
  headers: CustomHeaders;
  maxPerSecond: number | null;
  /** Default: that of the sender. */
  timeoutMs: number | undefined;
  health: Health;
}

interface SecretKeys {
  standard: HmacKey;
  /** If the webhook wants asymmetric signatures. */
  asymmetric: KeyObject | undefined;
}

export async function loadTargets(sql: Sql, sealer: Sealer, webhookIds: readonly number[]): Promise<Target[]> {
  const rows = await run(sql, loadStatement, [webhookIds]);
  const keysOf = (sealed: Buffer, isAsymmetric: boolean): SecretKeys => {
    const secret = sealer.open(sealed);
    return { standard: standardKey(secret), asymmetric: isAsymmetric ? signingKey(sealer, secret) : undefined };
  };
  return rows.map((row) => ({
    webhookId: row.webhookId,
    partnerId: row.partnerId,
    revision: row.revision,
    url: row.pushUrl,
    origin: new URL(row.pushUrl).origin,
    retrySchedule: row.retrySchedule,
    privateKeys: row.sealedKeys.map((sealed, index) => ({
      key: eventKey(sealer.open(sealed)),
      expiresAt: row.keyExpiries[index] ?? null,
    })),
    secret: keysOf(row.secret, row.asymmetricSignature),
    previousSecret:
      row.previousSecret && row.previousSecretExpiresAt
        ? { keys: keysOf(row.previousSecret, row.asymmetricSignature), expiresAt: row.previousSecretExpiresAt }
        : null,
    headers: openHeaders(sealer, row.headers),
    maxPerSecond: row.maxPerSecond,
    timeoutMs: row.timeoutSeconds === null ? undefined : row.timeoutSeconds * 1000,
    health: healthOf(row),
  }));
}

interface TargetRow extends HealthRow {
  partnerId: number;
  revision: number;
  pushUrl: string;
  retrySchedule: number[] | null;
  secret: Buffer;
  previousSecret: Buffer | null;
  previousSecretExpiresAt: Date | null;
  headers: Buffer | null;
  maxPerSecond: number | null;
  timeoutSeconds: number | null;
  asymmetricSignature: boolean;
  sealedKeys: Buffer[];
  keyExpiries: (Date | null)[];
}

const loadStatement = defineStatement<TargetRow>({
  name: 'load-targets',
  text: `
    select webhooks.partner_id, revision, push_url, retry_schedule, secret, previous_secret, previous_secret_expires_at,
      headers, max_per_second, timeout_seconds, asymmetric_signature, ${selectedHealth},
      array_agg(keys.sealed order by keys.id) as sealed_keys,
      array_agg(keys.expires_at order by keys.id) as key_expiries
    from webhooks
    join partner_keys keys on keys.partner_id = webhooks.partner_id and (expires_at is null or expires_at > now())
    join webhook_health on webhook_health.webhook_id = webhooks.id
    where webhooks.id = any ($1)
    group by webhooks.id, webhook_health.webhook_id
  `,
  columns: {
    partnerId: 'int8',
    revision: 'int4',
    pushUrl: 'text',
    retrySchedule: 'int4[]',
    secret: 'bytea',
    previousSecret: 'bytea',
    previousSecretExpiresAt: 'timestamptz',
    headers: 'bytea',
    maxPerSecond: 'int4',
    timeoutSeconds: 'int4',
    asymmetricSignature: 'bool',
    ...healthColumns,
    sealedKeys: 'bytea[]',
    keyExpiries: 'timestamptz[]',
  },
});

export interface SignedRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Id of the partner that owns the webhook. */
  owner: number;
  timeoutMs: number | undefined;
}

/** The request for an event: signed body and Standard Webhooks headers. */
export function signedRequest(
  target: Target,
  event: { id: number; text: string },
  { now, userAgent }: { now: Date; userAgent: string },
): SignedRequest {
  const body = deliveryBody(event.text, signEvent(bodyKey(target, now), event.text));
  const id = String(event.id);
  const timestamp = Math.floor(now.getTime() / 1000);
  let signatures = signaturesOf(target.secret, id, timestamp, body);
  if (target.previousSecret && target.previousSecret.expiresAt > now) {
    signatures += ` ${signaturesOf(target.previousSecret.keys, id, timestamp, body)}`;
  }
  return {
    url: target.url,
    headers: {
      ...target.headers,
      'content-type': 'application/json',
      'user-agent': userAgent,
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatures,
    },
    body,
    owner: target.partnerId,
    timeoutMs: target.timeoutMs,
  };
}

function signaturesOf({ standard, asymmetric }: SecretKeys, id: string, timestamp: number, body: string): string {
  const signature = standardSignature(standard, id, timestamp, body);
  return asymmetric ? `${signature} ${asymmetricSignature(asymmetric, id, timestamp, body)}` : signature;
}

/** The old key signs until its overlap ends: the body has one signature, and receivers need time to adopt the new key. */
function bodyKey(target: Target, now: Date): HmacKey {
  const valid = target.privateKeys.find(({ expiresAt }) => expiresAt === null || expiresAt > now);
  if (!valid) throw new Error(`The partner of webhook ${target.webhookId} has no valid private key.`);
  return valid.key;
}

const maxCached = 5000;

/** Caches targets by revision: a change of URL, secret or key applies to the next attempt. */
export class TargetCache {
  readonly #sql: Sql;
  readonly #sealer: Sealer;
  readonly #cached = new LRUCache<number, Target>({ max: maxCached });

  constructor(sql: Sql, sealer: Sealer) {
    this.#sql = sql;
    this.#sealer = sealer;
  }

  /** All deliveries must be of the same webhook. */
  async get([first]: readonly Pick<DueDelivery, 'webhookId' | 'revision'>[]): Promise<Target | undefined> {
    if (!first) return undefined;
    const known = this.#cached.get(first.webhookId);
    if (known && known.revision >= first.revision) return known;
    const [loaded] = await loadTargets(this.#sql, this.#sealer, [first.webhookId]);
    if (loaded) this.#cached.set(first.webhookId, loaded);
    return loaded;
  }
}
