import { hmacSha256, isSameSignature } from './hmac.ts';
import { isEd25519Signature, publicKeyOf } from './public-key-signature.ts';
import { VerificationError } from './verification-error.ts';

/** Headers of Node, Express or Fastify, or a fetch `Headers` object. */
export type DeliveryHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null };

export interface Freshness {
  toleranceSeconds: number;
  now: Date;
}

export interface HeaderKeys {
  secrets: readonly string[];
  publicKeys: readonly string[];
}

/** Checks the Standard Webhooks signatures over id, timestamp and body. One match is enough. */
export function checkHeaderSignature(
  { secrets, publicKeys }: HeaderKeys,
  headers: DeliveryHeaders,
  body: string | Uint8Array,
  freshness: Freshness,
): void {
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const signatures = header(headers, 'webhook-signature').split(' ');
  checkFreshness(timestamp, freshness);

  const keys = publicKeys.map(publicKeyOf);
  const prefix = `${id}.${timestamp}.`;
  const symmetric = secrets.map((secret) => `v1,${hmacSha256(keyOf(secret), prefix, body)}`);
  if (symmetric.some((expected) => signatures.some((given) => isSameSignature(expected, given)))) return;

  const signed = Buffer.concat([Buffer.from(prefix), typeof body === 'string' ? Buffer.from(body) : body]);
  const asymmetric = signatures.filter((given) => given.startsWith('v1a,')).map((given) => given.slice('v1a,'.length));
  if (keys.some((key) => asymmetric.some((given) => isEd25519Signature(key, given, signed)))) return;

  throw new VerificationError(
    'header-signature-wrong',
    'No signature in webhook-signature matches the secret or the public key. Check that it is the key of this webhook, ' +
      'and that the body is the raw body: a reserialized body has another signature.',
  );
}

/** A secret is `whsec_` followed by the Base64 of the key. */
function keyOf(secret: string): Uint8Array {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  if (key.length === 0)
    throw new TypeError('The secret of the webhook is not valid. It must have the form whsec_ followed by Base64.');
  return key;
}

function checkFreshness(timestamp: string, { toleranceSeconds, now }: Freshness): void {
  const sent = /^\d+$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  const age = now.getTime() / 1000 - sent;
  if (Math.abs(age) <= toleranceSeconds) return;
  throw new VerificationError(
    'timestamp-outside-tolerance',
    Number.isNaN(age)
      ? 'webhook-timestamp is not a Unix timestamp in seconds.'
      : `webhook-timestamp is ${Math.round(Math.abs(age))} s in the ${age > 0 ? 'past' : 'future'}, more than the ` +
          `${toleranceSeconds} s allowed. Check the system clock. If it is correct, this is a replayed delivery.`,
  );
}

function header(headers: DeliveryHeaders, name: string): string {
  const value = isLookup(headers) ? headers.get(name) : [valueUnder(headers, name)].flat()[0];
  if (!value) throw new VerificationError('header-missing', `The header ${name} is missing.`);
  return value;
}

const isLookup = (headers: DeliveryHeaders): headers is { get(name: string): string | null } =>
  typeof headers.get === 'function';

/** Most servers use lower-case names; some gateways keep the original case. */
function valueUnder(headers: Readonly<Record<string, string | readonly string[] | undefined>>, name: string) {
  return headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}
