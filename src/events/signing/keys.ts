import { createHash, randomBytes } from 'node:crypto';
import { secretPrefix } from './signature.ts';

export function newPrivateKey(): string {
  return randomBytes(32).toString('base64url');
}

export function newPublicKey(): string {
  return `pk_${randomBytes(18).toString('base64url')}`;
}

export function newWebhookSecret(): string {
  return secretPrefix + randomBytes(32).toString('base64');
}

/** Keys have 256 random bits, so an unsalted hash is sufficient for the look-up. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
