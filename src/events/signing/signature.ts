import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from 'node:crypto';

const blockSize = 64;
const digestSize = 32;
/** Longer texts get a buffer of their own. */
const sharedBufferSize = 64 * 1024;

// Shared by all keys: it is filled and read within one synchronous call.
const sharedBuffer = Buffer.alloc(sharedBufferSize);

/**
 * HMAC-SHA256 (RFC 2104) for a key that signs many texts: the pads are computed once. `createHmac` takes twice as long
 * (decision 47).
 */
export class HmacKey {
  readonly #inner: Buffer;
  readonly #outer: Buffer;

  constructor(key: Buffer) {
    const short = key.length > blockSize ? hash('sha256', key, 'buffer') : key;
    this.#inner = Buffer.alloc(blockSize, 0x36);
    this.#outer = Buffer.alloc(blockSize + digestSize, 0x5c);
    for (const [index, byte] of short.entries()) {
      this.#inner[index] = 0x36 ^ byte;
      this.#outer[index] = 0x5c ^ byte;
    }
  }

  /** Returns Base64. */
  sign(text: string): string {
    // A UTF-16 code unit takes at most three bytes in UTF-8.
    const fits = blockSize + text.length * 3 <= sharedBufferSize;
    const message = fits ? sharedBuffer : Buffer.alloc(blockSize + Buffer.byteLength(text));
    this.#inner.copy(message);
    const written = message.write(text, blockSize);
    // A latin1 string is cheaper than another buffer.
    const digest = hash('sha256', message.subarray(0, blockSize + written), 'latin1');
    this.#outer.write(digest, blockSize, 'latin1');
    return hash('sha256', this.#outer, 'base64');
  }
}

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
