import { setImmediate } from 'node:timers/promises';
import type { Static } from 'typebox';
import type { Sql } from '../../database/connection.ts';
import { anyOf, db } from '../../database/query-builder.ts';
import { storedTrace } from '../../telemetry/tracing.ts';
import {
  bodyKey,
  openPrivateKeys,
  openSecrets,
  type PrivateKey,
  previousSecretAt,
  type SecretKeys,
  type SigningSettings,
  signedHeaders,
} from '../delivery/target.ts';
import type { Sealer } from '../signing/sealer.ts';
import { deliveryBody, publicKeyOf, signEvent } from '../signing/signature.ts';
import { maskedHeaders, openWebhookSecret } from '../signing/webhook-credentials.ts';
import { serializedHeaders } from '../transport/exchange.ts';
import { isQueueUrl } from '../transport/queues/queue-url.ts';
import type { Attempt, SentRequest } from './attempt.ts';
import type { DeliveryDetails } from './delivery-store.ts';

const maskedToken = maskedHeaders({ authorization: '' });

type Request = Static<typeof SentRequest>;

/** Reproduces the requests of a delivery from the settings that they were sent with. */
export async function readSentRequests(
  sql: Sql,
  sealer: Sealer,
  { delivery, eventText, history }: DeliveryDetails,
  now: Date,
): Promise<Map<Attempt, Request>> {
  const sent = history.filter(wasSent);
  const rows = await readSettings(sql, delivery.webhookId, sent);
  const settingsById = new Map(rows.map((row) => [row.id, openSettings(sealer, row, now)]));
  const event = new SignedEvent(delivery.eventId, eventText);
  const requests = new Map<Attempt, Request>();
  for (const attempt of sent) {
    const settings = settingsById.get(attempt.requestSettingsId ?? 0);
    if (!settings) continue;
    requests.set(attempt, sentRequest(settings, attempt, event, now));
    // Signing a large event takes milliseconds: serve other requests in between.
    await setImmediate();
  }
  return requests;
}

/** An event and its signatures by the id of the private key. */
class SignedEvent {
  readonly id: number;
  readonly text: string;
  readonly #signatures = new Map<number, string>();

  constructor(id: number, text: string) {
    this.id = id;
    this.text = text;
  }

  signature({ id, key }: PrivateKey): string {
    const signature = this.#signatures.get(id) ?? signEvent(key, this.text);
    this.#signatures.set(id, signature);
    return signature;
  }
}

/** The phase of waiting for a response begins when the request is sent. */
const wasSent = ({ firstByteMs }: Attempt) => firstByteMs !== null;

type SettingsRow = Awaited<ReturnType<typeof readSettings>>[number];

async function readSettings(sql: Sql, webhookId: number, history: readonly Attempt[]) {
  const ids = new Set(history.flatMap(({ requestSettingsId }) => requestSettingsId ?? []));
  if (ids.size === 0) return [];
  const rows = await db(sql)
    .selectFrom('requestSettings as settings')
    .innerJoin('webhooks', 'webhooks.id', 'settings.webhookId')
    .selectAll('settings')
    .select([
      'webhooks.partnerId',
      'webhooks.secret as currentSecret',
      'webhooks.previousSecret as currentPreviousSecret',
      'webhooks.previousSecretExpiresAt as overlapEnds',
    ])
    .where('settings.id', '=', anyOf([...ids], 'bigint'))
    .where('settings.webhookId', '=', webhookId)
    .execute();
  const keyIds = [...new Set(rows.flatMap((row) => row.keyIds))];
  const keys = await db(sql)
    .selectFrom('partnerKeys')
    .select(['id', 'sealed', 'expiresAt'])
    .where('id', '=', anyOf(keyIds, 'bigint'))
    .execute();
  return rows.map((row) => ({ ...row, keys }));
}

type OpenSettings = ReturnType<typeof openSettings>;

function sentRequest(
  { row, signing, secretKeys, previousKeys }: OpenSettings,
  { url, startedAt, waitedMs, traceparent }: Attempt,
  event: SignedEvent,
  now: Date,
): Request {
  const signedAt = new Date(startedAt.getTime() - (waitedMs ?? 0));
  const privateKey = bodyKey(signing, signedAt);
  const signature = event.signature(privateKey);
  const body = deliveryBody(event.text, signature);
  const headers = {
    ...signedHeaders(signing, event, body, { now: signedAt, userAgent: row.userAgent }),
    ...(traceparent && storedTrace(traceparent)),
    ...(row.sendsToken && maskedToken),
  };
  const expiresAt = row.keys.find(({ id }) => id === privateKey.id)?.expiresAt ?? null;
  return {
    ...(isQueueUrl(url)
      ? { method: 'PUBLISH', headers: Object.entries(headers).map(([name, value]) => ({ name, value })) }
      : { method: 'POST', headers: serializedHeaders(new URL(url), headers, body) }),
    signature,
    keys: [
      { signature: 'BODY', keyId: String(privateKey.id), isValid: expiresAt === null || expiresAt > now },
      ...secretKeys,
      ...(previousSecretAt(signing, signedAt) ? previousKeys : []),
    ],
  };
}

/** Decrypted settings, and the keys of the secrets as the API shows them. */
function openSettings(sealer: Sealer, row: SettingsRow, now: Date) {
  const signing = signingSettings(sealer, row);
  const fingerprintOf = (sealed: Buffer) =>
    sealer.digest(openWebhookSecret(sealer, sealed).secret).toString('hex').slice(0, 16);
  const { currentSecret, currentPreviousSecret, overlapEnds } = row;
  const inOverlap = currentPreviousSecret && overlapEnds && overlapEnds > now;
  const valid = [currentSecret, ...(inOverlap ? [currentPreviousSecret] : [])].map(fingerprintOf);
  const keysOf = ({ asymmetric }: SecretKeys, sealed: Buffer): Request['keys'] => {
    const keyId = fingerprintOf(sealed);
    const isValid = valid.includes(keyId);
    const v1 = { signature: 'V1', keyId, isValid } as const;
    return asymmetric ? [v1, { signature: 'V1A', keyId: publicKeyOf(asymmetric).kid, isValid }] : [v1];
  };
  const { secret, previousSecret } = signing;
  const previousKeys = previousSecret && row.previousSecret ? keysOf(previousSecret.keys, row.previousSecret) : [];
  return { row, signing, secretKeys: keysOf(secret, row.secret), previousKeys };
}

function signingSettings(sealer: Sealer, row: SettingsRow): SigningSettings {
  const sealedKeys = new Map(row.keys.map(({ id, sealed }) => [id, sealed]));
  return {
    webhookId: row.webhookId,
    partnerId: row.partnerId,
    privateKeys: openPrivateKeys(
      sealer,
      row,
      row.keyIds.map((id) => sealedKeys.get(id) as Buffer),
    ),
    ...openSecrets(sealer, row),
    cloudEvents: row.cloudEvents,
    headers: maskedHeaders(Object.fromEntries(row.headerNames.map((name) => [name, '']))),
  };
}
