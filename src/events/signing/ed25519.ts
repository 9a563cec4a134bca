import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from 'node:crypto';

/** PKCS #8 of an Ed25519 key, before its 32 bytes (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The Ed25519 key with these 32 bytes. */
export const signingKey = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });

/** An entry of the `webhook-signature` header (Standard Webhooks, asymmetric). */
export function asymmetricSignature(key: KeyObject, id: string, timestampSeconds: number, body: string): string {
  return `v1a,${sign(null, Buffer.from(`${id}.${timestampSeconds}.${body}`), key).toString('base64')}`;
}

/** JSON Web Key (RFC 8037), also as the `whpk_` text of Standard Webhooks. */
export function publicKeyOf(key: KeyObject) {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  const bytes = Buffer.from(x, 'base64url');
  const kid = hash('sha256', bytes, 'base64url').slice(0, 16);
  return { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid, x, whpk: `whpk_${bytes.toString('base64')}` };
}
