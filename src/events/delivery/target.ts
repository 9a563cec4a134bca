import { LRUCache } from 'lru-cache';
import type { Sql } from '../../database/connection.ts';
import type { Sealer } from '../signing/sealer.ts';
import {
  deliveryBody,
  eventKey,
  type HmacKey,
  signEvent,
  standardKey,
  standardSignature,
} from '../signing/signature.ts';
import type { Health } from './breaker.ts';
import type { DueDelivery } from './delivery-queue.ts';
import { type HealthRow, healthColumns, healthOf } from './health-store.ts';

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
  secret: HmacKey;
  previousSecret: { key: HmacKey; expiresAt: Date } | null;
  health: Health;
}

export async function loadTargets(sql: Sql, sealer: Sealer, webhookIds: readonly number[]): Promise<Target[]> {
  const { rows } = await sql.query<TargetRow>({ name: 'load-targets', text: loadStatement, values: [webhookIds] });
  return rows.map((row) => ({
    webhookId: row.webhook_id,
    partnerId: row.partner_id,
    revision: row.revision,
    url: row.push_url,
    origin: new URL(row.push_url).origin,
    retrySchedule: row.retry_schedule,
    privateKeys: row.sealed_keys.map((sealed, index) => ({
      key: eventKey(sealer.open(sealed)),
      expiresAt: row.key_expiries[index] ?? null,
    })),
    secret: standardKey(sealer.open(row.secret)),
    previousSecret:
      row.previous_secret && row.previous_secret_expires_at
        ? { key: standardKey(sealer.open(row.previous_secret)), expiresAt: row.previous_secret_expires_at }
        : null,
    health: healthOf(row),
  }));
}

interface TargetRow extends HealthRow {
  partner_id: number;
  revision: number;
  push_url: string;
  retry_schedule: number[] | null;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_expires_at: Date | null;
  sealed_keys: Buffer[];
  key_expiries: (Date | null)[];
}

const loadStatement = `
  select webhooks.partner_id, revision, push_url, retry_schedule, secret, previous_secret, previous_secret_expires_at, ${healthColumns},
    array_agg(keys.sealed order by keys.id) as sealed_keys,
    array_agg(keys.expires_at order by keys.id) as key_expiries
  from webhooks
  join partner_keys keys on keys.partner_id = webhooks.partner_id and (expires_at is null or expires_at > now())
  join webhook_health on webhook_health.webhook_id = webhooks.id
  where webhooks.id = any ($1)
  group by webhooks.id, webhook_health.webhook_id
`;

export interface SignedRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Id of the partner that owns the webhook. */
  owner: number;
}

/** The request for an event: signed body and Standard Webhooks headers. */
export function signedRequest(
  target: Target,
  event: { id: number; text: string },
  { now, userAgent }: { now: Date; userAgent: string },
): SignedRequest {
  const body = deliveryBody(event.text, signEvent(signingKey(target, now), event.text));
  const id = String(event.id);
  const timestamp = Math.floor(now.getTime() / 1000);
  let signatures = standardSignature(target.secret, id, timestamp, body);
  if (target.previousSecret && target.previousSecret.expiresAt > now) {
    signatures += ` ${standardSignature(target.previousSecret.key, id, timestamp, body)}`;
  }
  return {
    url: target.url,
    headers: {
      'content-type': 'application/json',
      'user-agent': userAgent,
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatures,
    },
    body,
    owner: target.partnerId,
  };
}

/** The old key signs until its overlap ends: the body has one signature, and receivers need time to adopt the new key. */
function signingKey(target: Target, now: Date): HmacKey {
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
