import { createHmac, timingSafeEqual } from 'node:crypto';

type Bytes = string | Uint8Array;

export function hmacSha256(key: Bytes, ...parts: Bytes[]): string {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest('base64');
}

/**
 * Compares the Base64 texts, not the decoded bytes: decoding ignores two bits of the last character, so four texts would
 * match one signature.
 */
export function isSameSignature(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
