import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

export const secretPrefix = 'whsec_';

/** The keys of a delivery's two signatures, read once and used for many. */
export const eventKey = (privateKey: string): KeyObject => createSecretKey(privateKey, 'utf8');
export const standardKey = (secret: string): KeyObject => createSecretKey(secret.slice(secretPrefix.length), 'base64');

/** The `signature` of a delivery: Base64(HMAC-SHA256(private key, canonical event text)). */
export function signEvent(key: KeyObject, eventText: string): string {
  return createHmac('sha256', key).update(eventText).digest('base64');
}

/** Exactly `{"event":<E>,"signature":"<S>"}`; Base64 needs no escaping. */
export function deliveryBody(eventText: string, signature: string): string {
  return `{"event":${eventText},"signature":"${signature}"}`;
}

/** One entry of the `webhook-signature` header of the Standard Webhooks specification. */
export function standardSignature(key: KeyObject, id: string, timestampSeconds: number, body: string): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest('base64')}`;
}
