import { eventIn, eventSignedWith } from './body-signature.ts';
import type { WaypostEvent } from './events.ts';
import { checkHeaderSignature, type DeliveryHeaders } from './header-signature.ts';
import { VerificationError } from './verification-error.ts';

/**
 * At least one key is required. With keys for body and headers, both must be valid; in the headers, one match of a secret
 * or public key is enough. Use a list of keys during a rotation.
 */
export interface DeliveryKeys {
  /** The partner's private key, for the signature in the body. */
  privateKey?: string | readonly string[];
  /** The webhook's secret (`whsec_…`), for the signature in the headers and the age of the delivery. */
  secret?: string | readonly string[];
  /** The public keys of the webhook (`whpk_…`), for Ed25519 signatures (`v1a`) in the headers. */
  publicKeys?: string | readonly string[];
}

export interface Delivery extends DeliveryKeys {
  /** The raw body. A parsed body is sufficient for `privateKey`, but not for the other keys. */
  body: string | Uint8Array | ArrayBuffer | object | undefined;
  /** Required with `secret` and `publicKeys`. */
  headers?: DeliveryHeaders;
  /** Maximum difference between webhook-timestamp and now, in either direction. Default 300. */
  toleranceSeconds?: number;
  now?: Date;
}

/**
 * Verifies a delivery and returns its event. Throws a VerificationError if the delivery is not authentic, and a TypeError
 * if the arguments are invalid.
 */
export function verifyDelivery(delivery: Delivery): WaypostEvent {
  const { headers, toleranceSeconds = 300, now = new Date() } = delivery;
  const privateKeys = listOf('privateKey', delivery.privateKey);
  const secrets = listOf('secret', delivery.secret);
  const publicKeys = listOf('publicKeys', delivery.publicKeys);
  if (privateKeys.length + secrets.length + publicKeys.length === 0) {
    throw new TypeError(
      'verifyDelivery requires the privateKey of your account, or the secret or publicKeys of the webhook.',
    );
  }

  const body = delivery.body instanceof ArrayBuffer ? new Uint8Array(delivery.body) : delivery.body;
  if (body === undefined || body === null) throw new VerificationError('body-unreadable', 'The delivery has no body.');
  const raw = isRaw(body) ? body : undefined;

  if (secrets.length + publicKeys.length > 0) {
    const name = secrets.length > 0 ? 'The secret' : 'publicKeys';
    if (raw === undefined)
      throw new TypeError(
        `${name} requires the raw body, but body is a parsed object. Pass the body as string or bytes.`,
      );
    if (!headers) throw new TypeError(`${name} requires the headers. Pass headers to verifyDelivery.`);
    checkHeaderSignature({ secrets, publicKeys }, headers, raw, { toleranceSeconds, now });
  }
  const readable = raw === undefined ? body : textOf(raw);
  const event = privateKeys.length > 0 ? eventSignedWith(privateKeys, readable) : eventIn(readable);
  return event as WaypostEvent;
}

/** Rejects empty keys, often caused by unset environment variables: anyone could sign with an empty key. */
function listOf(name: string, keys: string | readonly string[] = []): readonly string[] {
  const list = [keys].flat();
  if (list.some((key) => !key)) throw new TypeError(`The ${name} passed to verifyDelivery is empty.`);
  return list;
}

/** isView instead of instanceof: test runners may pass byte arrays of another realm. */
const isRaw = (body: string | object): body is string | Uint8Array =>
  typeof body === 'string' || ArrayBuffer.isView(body);

function textOf(raw: string | Uint8Array): string {
  if (typeof raw === 'string') return raw;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    throw new VerificationError('body-unreadable', 'The body is not UTF-8.');
  }
}
