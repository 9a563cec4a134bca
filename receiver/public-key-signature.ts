import { createPublicKey, type KeyObject, verify } from 'node:crypto';

/** A public key is `whpk_` followed by the Base64 of its 32 bytes. */
export function publicKeyOf(text: string): KeyObject {
  const key = Buffer.from(text.startsWith('whpk_') ? text.slice('whpk_'.length) : text, 'base64');
  if (key.length !== 32)
    throw new TypeError('The public key is not valid. It must have the form whpk_ followed by the Base64 of 32 bytes.');
  return createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') } });
}

/** Rejects other Base64 texts of the same bytes, like the comparison of HMAC signatures. */
export function isEd25519Signature(key: KeyObject, signature: string, signed: Uint8Array): boolean {
  const bytes = Buffer.from(signature, 'base64');
  return bytes.length === 64 && bytes.toString('base64') === signature && verify(null, signed, key, bytes);
}
