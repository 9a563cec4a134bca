import { createHmac, randomBytes } from 'node:crypto';
import canonicalize from 'canonicalize';
import { Webhook } from 'standardwebhooks';

/** Signs test deliveries with third-party libraries; shares no code with the receiver. */

export const newPrivateKey = () => randomBytes(24).toString('hex');
export const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

export function signedBody(privateKey: string, event: unknown): string {
  const text = canonicalize(event);
  const signature = createHmac('sha256', privateKey).update(`${text}`, 'utf8').digest('base64');
  return `{"event":${text},"signature":"${signature}"}`;
}

export function signedHeaders(secrets: string[], body: string, sent = new Date(), id = '184467') {
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': `${Math.floor(sent.getTime() / 1000)}`,
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, sent, body)).join(' '),
  };
}
