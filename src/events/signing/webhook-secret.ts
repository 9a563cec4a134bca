import type { Sealer } from './sealer.ts';

interface WebhookSecret {
  secret: string;
  /** Of the Ed25519 key. A receiver that knows the secret cannot compute it. A new secret gives a new seed. */
  seed: Buffer;
}

/** Secrets contain no line break. */
const separator = '\n';

/** The seed is derived from the master key that sealed the secret first, and sealed with it when that key changes. */
export function openWebhookSecret(sealer: Sealer, sealed: Buffer): WebhookSecret {
  const { text, key } = sealer.openWithKey(sealed);
  const [secret = '', seed] = text.split(separator);
  return { secret, seed: seed === undefined ? key.derive('ed25519', secret) : Buffer.from(seed, 'base64') };
}

/** Seals the secret with the current master key and keeps its Ed25519 key. */
export function resealWebhookSecret(sealer: Sealer, sealed: Buffer): Buffer {
  const { secret, seed } = openWebhookSecret(sealer, sealed);
  return sealer.seal(secret + separator + seed.toString('base64'));
}
