import { HmacKey } from './hmac-sha256.ts';

export const secretPrefix = 'whsec_';

/** Keys of the two signatures of a delivery. */
export const eventKey = (privateKey: string): HmacKey => new HmacKey(Buffer.from(privateKey));
export const standardKey = (secret: string): HmacKey =>
  new HmacKey(Buffer.from(secret.slice(secretPrefix.length), 'base64'));

/** The `signature` of a delivery: Base64(HMAC-SHA256(private key, canonical event text)). */
export function signEvent(key: HmacKey, eventText: string): string {
  return key.sign(eventText);
}

/** `{"event":<event>,"signature":"<signature>"}`; Base64 needs no escaping. */
export function deliveryBody(eventText: string, signature: string): string {
  return `{"event":${eventText},"signature":"${signature}"}`;
}

/** One entry of the `webhook-signature` header (Standard Webhooks). */
export function standardSignature(key: HmacKey, id: string, timestampSeconds: number, body: string): string {
  return `v1,${key.sign(`${id}.${timestampSeconds}.${body}`)}`;
}
