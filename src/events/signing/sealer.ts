import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts keys and secrets for the database. Format: nonce, authentication tag, ciphertext. */
export class Sealer {
  readonly #masterKey: Buffer;

  constructor(masterKey: Buffer) {
    this.#masterKey = masterKey;
  }

  /** Identifies the master key without revealing it. */
  get fingerprint(): string {
    return createHash('sha256').update('waypost master key').update(this.#masterKey).digest('hex').slice(0, 16);
  }

  /** Keyed digest for comparing texts. A plain hash would allow guessing passwords in them. */
  digest(text: string): Buffer {
    return createHmac('sha256', this.#masterKey).update('waypost digest').update(text).digest();
  }

  /** 32 bytes that only holders of the master key can compute. */
  derive(purpose: string, text: string): Buffer {
    return createHmac('sha256', this.#masterKey).update(`waypost ${purpose}\0`).update(text).digest();
  }

  seal(text: string): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#masterKey, nonce);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  open(sealed: Buffer): string {
    const decipher = createDecipheriv(algorithm, this.#masterKey, sealed.subarray(0, nonceBytes));
    decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    const text = Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
    return text.toString('utf8');
  }
}
