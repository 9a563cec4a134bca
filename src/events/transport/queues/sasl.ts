import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { QueueCredentials } from '../../signing/webhook-credentials.ts';

export const saslMechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;
export type SaslMechanism = (typeof saslMechanisms)[number];

/** The client side of an authentication. */
export interface SaslClient {
  first(): Buffer;
  /** The next message, or undefined when the server is authenticated too. Rejects a server that is not. */
  next(challenge: Buffer): Promise<Buffer | undefined>;
}

export const saslClient = (mechanism: SaslMechanism, credentials: QueueCredentials): SaslClient =>
  mechanism === 'PLAIN' ? plainClient(credentials) : new Scram(scramHashes[mechanism], credentials);

/** RFC 4616. */
const plainClient = ({ username, password }: QueueCredentials): SaslClient => ({
  first: () => Buffer.from(`\0${username}\0${password}`),
  next: async () => undefined,
});

const scramHashes = {
  'SCRAM-SHA-256': { name: 'sha256', bytes: 32 },
  'SCRAM-SHA-512': { name: 'sha512', bytes: 64 },
} as const;
// Kafka accepts no more for a user. A broker could otherwise demand hours of work.
const maxIterations = 16_384;
const minIterations = 4096;
const maxSalt = 1024;
const withoutChannelBinding = 'n,,';
const deriveKey = promisify(pbkdf2);

/** RFC 5802, without channel binding. */
class Scram implements SaslClient {
  readonly #hash: { name: string; bytes: number };
  readonly #credentials: QueueCredentials;
  readonly #nonce = randomBytes(18).toString('base64');
  /** Set when the proof was sent. */
  #serverSignature: Buffer | undefined;

  constructor(hash: { name: string; bytes: number }, credentials: QueueCredentials) {
    this.#hash = hash;
    this.#credentials = credentials;
  }

  first(): Buffer {
    return Buffer.from(withoutChannelBinding + this.#firstBare());
  }

  async next(challenge: Buffer): Promise<Buffer | undefined> {
    if (!this.#serverSignature) return this.#proof(challenge.toString());
    const signature = Buffer.from(attributesOf(challenge.toString()).v ?? '', 'base64');
    if (signature.length !== this.#hash.bytes || !timingSafeEqual(signature, this.#serverSignature)) {
      throw new Error('a SCRAM signature that does not prove that it knows the password');
    }
    return undefined;
  }

  #firstBare(): string {
    const name = this.#credentials.username.replaceAll('=', '=3D').replaceAll(',', '=2C');
    return `n=${name},r=${this.#nonce}`;
  }

  async #proof(challenge: string): Promise<Buffer> {
    const { r: nonce = '', s = '', i } = attributesOf(challenge);
    const [salt, iterations] = [Buffer.from(s, 'base64'), Number(i)];
    if (!nonce.startsWith(this.#nonce) || nonce.length === this.#nonce.length) throw new Error('a wrong SCRAM nonce');
    if (salt.length === 0 || salt.length > maxSalt) throw new Error('a SCRAM salt of the wrong length');
    if (!(Number.isInteger(iterations) && iterations >= minIterations && iterations <= maxIterations)) {
      throw new Error(`SCRAM iterations other than ${minIterations} to ${maxIterations}`);
    }
    const { name, bytes } = this.#hash;
    const salted = await deriveKey(this.#credentials.password, salt, iterations, bytes, name);
    const clientKey = this.#hmac(salted, 'Client Key');
    const withoutProof = `c=${Buffer.from(withoutChannelBinding).toString('base64')},r=${nonce}`;
    const signed = `${this.#firstBare()},${challenge},${withoutProof}`;
    const signature = this.#hmac(createHash(name).update(clientKey).digest(), signed);
    const proof = clientKey.map((byte, index) => byte ^ (signature[index] as number));
    this.#serverSignature = this.#hmac(this.#hmac(salted, 'Server Key'), signed);
    return Buffer.from(`${withoutProof},p=${Buffer.from(proof).toString('base64')}`);
  }

  #hmac(key: Buffer, text: string): Buffer {
    return createHmac(this.#hash.name, key).update(text).digest();
  }
}

/** `r=…,s=…,i=4096` */
const attributesOf = (text: string): Partial<Record<string, string>> =>
  Object.fromEntries(text.split(',').map((part) => [part[0], part.slice(2)]));
