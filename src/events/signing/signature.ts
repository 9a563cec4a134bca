import { createHmac } from 'node:crypto';

/** The `signature` of a delivery: Base64(HMAC-SHA256(private key, canonical event text)). */
export function signEvent(privateKey: string, eventText: string): string {
  return createHmac('sha256', privateKey).update(eventText).digest('base64');
}

/** Exactly `{"event":<E>,"signature":"<S>"}`; Base64 needs no escaping. */
export function deliveryBody(eventText: string, signature: string): string {
  return `{"event":${eventText},"signature":"${signature}"}`;
}

/** One entry of the `webhook-signature` header of the Standard Webhooks specification. */
export function standardSignature(secret: string, id: string, timestampSeconds: number, body: string): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  const digest = createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest('base64');
  return `v1,${digest}`;
}

export const secretPrefix = 'whsec_';
