import { eventIn, eventSignedWith } from './body-signature.ts';
import type { WaypostEvent } from './events.ts';
import { checkHeaderSignature, type DeliveryHeaders } from './header-signature.ts';
import { VerificationError } from './verification-error.ts';

/** At least one of the two; with both, both signatures must be right. A list holds the old and the new of a rotation. */
export interface DeliveryKeys {
  /** The partner's private key: checks the signature in the body. */
  privateKey?: string | readonly string[];
  /** The webhook's own secret (`whsec_…`): checks the signature in the headers, and the age of the delivery. */
  secret?: string | readonly string[];
}

export interface Delivery extends DeliveryKeys {
  /** The body as received. What it was parsed into will do for the private key, but not for the secret. */
  body: string | Uint8Array | ArrayBuffer | object | undefined;
  /** Needed for the secret. */
  headers?: DeliveryHeaders;
  /** How far webhook-timestamp may be from now, in the past or the future. */
  toleranceSeconds?: number;
  now?: Date;
}

/**
 * The event of a delivery that is truly from Waypost. Throws a VerificationError when it is not, and a TypeError when it
 * cannot be checked because of how this was called.
 */
export function verifyDelivery(delivery: Delivery): WaypostEvent {
  const { headers, toleranceSeconds = 300, now = new Date() } = delivery;
  const privateKeys = listOf('privateKey', delivery.privateKey);
  const secrets = listOf('secret', delivery.secret);
  if (privateKeys.length + secrets.length === 0) {
    throw new TypeError('verifyDelivery needs the privateKey of your account, the secret of the webhook, or both.');
  }

  const body = delivery.body instanceof ArrayBuffer ? new Uint8Array(delivery.body) : delivery.body;
  if (body === undefined || body === null) throw new VerificationError('body-unreadable', 'The delivery has no body.');
  const raw = isRaw(body) ? body : undefined;

  if (secrets.length > 0) {
    if (raw === undefined) throw new TypeError('The secret signs the raw body, but body is an object parsed from it.');
    if (!headers) throw new TypeError('The secret signs headers too: give verifyDelivery the headers.');
    checkHeaderSignature(secrets, headers, raw, { toleranceSeconds, now });
  }
  const readable = raw === undefined ? body : textOf(raw);
  const event = privateKeys.length > 0 ? eventSignedWith(privateKeys, readable) : eventIn(readable);
  return event as WaypostEvent;
}

/** An empty key, which is what an unset environment variable often becomes, would let anybody sign. */
function listOf(name: string, keys: string | readonly string[] = []): readonly string[] {
  const list = [keys].flat();
  if (list.some((key) => !key)) throw new TypeError(`The ${name} given to verifyDelivery is empty.`);
  return list;
}

/** isView rather than instanceof: test runners hand over byte arrays of another realm. */
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
