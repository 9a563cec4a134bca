import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** The first bytes of a sealed value that names its key. The fingerprint of the key follows. */
export const keyMark: Buffer = Buffer.from('wmk1');
const fingerprintBytes = 8;
const markBytes = keyMark.length + fingerprintBytes;
const noMark = Buffer.alloc(0);

/** A value is sealed by a master key that this process does not have. */
export class UnknownMasterKey extends Error {
  readonly fingerprint: string;

  constructor(fingerprint: string) {
    super(
      `A value in the database is sealed by the master key with the fingerprint ${fingerprint}, which this process does ` +
        'not have. Add this key to the master keys, and restart the process.',
    );
    this.fingerprint = fingerprint;
  }
}

/** One of the keys that encrypt values for the database. */
export class MasterKey {
  readonly #bytes: Buffer;
  /** Identifies the key without revealing it. */
  readonly fingerprint: string;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    const digest = createHash('sha256').update('waypost master key').update(bytes).digest('hex');
    this.fingerprint = digest.slice(0, 2 * fingerprintBytes);
  }

  /** Keyed digest for comparing texts. A plain hash would allow guessing passwords in them. */
  digest(text: string): Buffer {
    return createHmac('sha256', this.#bytes).update('waypost digest').update(text).digest();
  }

  /** 32 bytes that only holders of the key can compute. */
  derive(purpose: string, text: string): Buffer {
    return createHmac('sha256', this.#bytes).update(`waypost ${purpose}\0`).update(text).digest();
  }

  /** Nonce, authentication tag, ciphertext. The tag also protects the mark. */
  encrypt(text: string, mark: Buffer): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#bytes, nonce).setAAD(mark);
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
  }

  decrypt(encrypted: Buffer, mark: Buffer): string {
    const decipher = createDecipheriv(algorithm, this.#bytes, encrypted.subarray(0, nonceBytes)).setAAD(mark);
    decipher.setAuthTag(encrypted.subarray(nonceBytes, nonceBytes + tagBytes));
    const text = Buffer.concat([decipher.update(encrypted.subarray(nonceBytes + tagBytes)), decipher.final()]);
    return text.toString('utf8');
  }
}

interface OtherKeys {
  /** Keys that only open values: former keys, and the next one before it is used. */
  others?: readonly Buffer[];
  /** Fingerprint of the key of values without a mark: the first key of the installation. Default: the current key. */
  unmarked?: string;
}

/** Encrypts keys and secrets for the database with the current master key, and opens values of all known keys. */
export class Sealer {
  readonly current: MasterKey;
  /** The key whose values have no mark, as releases without key rotation write and read them. */
  readonly unmarked: string;
  readonly #keys: ReadonlyMap<string, MasterKey>;

  constructor(current: Buffer, { others = [], unmarked }: OtherKeys = {}) {
    const keys = [current, ...others].map((bytes) => new MasterKey(bytes));
    this.current = keys[0] as MasterKey;
    this.unmarked = unmarked ?? this.current.fingerprint;
    this.#keys = new Map(keys.map((key) => [key.fingerprint, key]));
  }

  /** Of all known keys, the current one first. */
  get fingerprints(): string[] {
    return [...this.#keys.keys()];
  }

  digest(text: string): Buffer {
    return this.current.digest(text);
  }

  /** Also for a digest that a process with another current key has stored. */
  matchesDigest(text: string, digest: Buffer): boolean {
    return [...this.#keys.values()].some((key) => key.digest(text).equals(digest));
  }

  seal(text: string): Buffer {
    const { fingerprint } = this.current;
    const mark = fingerprint === this.unmarked ? noMark : Buffer.concat([keyMark, Buffer.from(fingerprint, 'hex')]);
    return Buffer.concat([mark, this.current.encrypt(text, mark)]);
  }

  open(sealed: Buffer): string {
    return this.openWithKey(sealed).text;
  }

  /** Also returns the key that has sealed the value. */
  openWithKey(sealed: Buffer): { text: string; key: MasterKey } {
    const unmarked = this.#keys.get(this.unmarked);
    const mark = markOf(sealed);
    if (!mark) {
      if (!unmarked) throw new UnknownMasterKey(this.unmarked);
      return { text: unmarked.decrypt(sealed, noMark), key: unmarked };
    }
    const fingerprint = mark.subarray(keyMark.length).toString('hex');
    const key = this.#keys.get(fingerprint);
    if (key) return { text: key.decrypt(sealed.subarray(markBytes), mark), key };
    // One of 2^32 values without a mark starts like a mark.
    try {
      if (unmarked) return { text: unmarked.decrypt(sealed, noMark), key: unmarked };
    } catch {}
    throw new UnknownMasterKey(fingerprint);
  }
}

const markOf = (sealed: Buffer): Buffer | undefined =>
  sealed.length > markBytes && sealed.subarray(0, keyMark.length).equals(keyMark)
    ? sealed.subarray(0, markBytes)
    : undefined;
