import { createHash, randomBytes } from 'node:crypto';
import Type from 'typebox';
import { maxOverlapHours } from '../../config/settings.ts';
import { Problem } from '../../problems.ts';
import { secretPrefix } from './signature.ts';

export function newWebhookSecret(): string {
  return secretPrefix + randomBytes(32).toString('base64');
}

/** Keys have 256 random bits, so an unsalted hash is sufficient for the look-up. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** The body of every request that rotates a key or secret. */
export const Rotation = Type.Object({
  overlapHours: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: maxOverlapHours,
      description: 'How many hours the old key or secret stays valid; 0 revokes it immediately',
    }),
  ),
});

export const rotationUnderWay = (until: Date): Problem =>
  new Problem('CONFLICT', {
    message:
      `A rotation is in progress until ${until.toISOString()}. Wait until then, ` +
      'or set overlapHours to 0 to end it now and revoke the old key or secret.',
  });
