import { createHash } from 'node:crypto';
import type { Sealer } from './sealer.ts';

interface WebhookSecret {
  secret: string;
  /** Of the Ed25519 key. Each secret has its own seed, which receivers cannot compute from the secret. */
  seed: Buffer;
}

/** Between the secret and the seed: secrets contain no line break. */
const separator = '\n';

/** The seed is derived from the first master key of the secret, or stored with the secret since that key was replaced. */
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

/** Custom headers of a webhook, with names in lower case. */
export type CustomHeaders = Readonly<Record<string, string>>;

/** Custom headers as stored. Only their values are secret. */
export interface SealedHeaders {
  headers: Buffer | null;
  headerNames: string[];
}

export function sealHeaders(sealer: Sealer, headers: CustomHeaders): SealedHeaders {
  const headerNames = Object.keys(headers);
  return { headers: headerNames.length > 0 ? sealer.seal(JSON.stringify(headers)) : null, headerNames };
}

export const openHeaders = (sealer: Sealer, sealed: Buffer | null | undefined): CustomHeaders =>
  sealed ? JSON.parse(sealer.open(sealed)) : {};

export const maskedHeaders = (headers: CustomHeaders): CustomHeaders =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, '••••••']));

export const authMethods = ['client_secret_basic', 'client_secret_post'] as const;

/** A client of a token server (OAuth 2.0 client credentials, RFC 6749, section 4.4), without its secret. */
export type OAuthClient = {
  tokenUrl: string;
  clientId: string;
  scope?: string;
  audience?: string;
  authMethod: (typeof authMethods)[number];
};

export interface OAuthCredentials extends OAuthClient {
  clientSecret: string;
}

export const openOAuth = (
  sealer: Sealer,
  client: OAuthClient | null,
  sealedSecret: Buffer | null,
): OAuthCredentials | undefined =>
  client && sealedSecret ? { ...client, clientSecret: sealer.open(sealedSecret) } : undefined;

/** The client certificate of a webhook (mutual TLS) with its chain, without its key. */
export type ClientCertificate = {
  /** In PEM format, the client certificate first. */
  chain: string;
  subject: string;
  issuer: string;
  /** SHA-256, in hexadecimal. */
  fingerprint: string;
  /** The first and last moment at which all certificates of the chain are valid. */
  notBefore: string;
  notAfter: string;
};

export interface ClientIdentity {
  /** Only requests with the same id share a connection. */
  id: string;
  chain: string;
  privateKey: string;
}

export function openIdentity(
  sealer: Sealer,
  certificate: ClientCertificate | null,
  sealedKey: Buffer | null,
): ClientIdentity | undefined {
  if (!certificate || !sealedKey) return undefined;
  const { chain } = certificate;
  const privateKey = sealer.open(sealedKey);
  return { id: createHash('sha256').update(chain).update('\0').update(privateKey).digest('hex'), chain, privateKey };
}

/** User name and password for a broker. A NATS token is a user name without a password. */
export interface QueueCredentials {
  username: string;
  password: string;
}

export const sealQueueCredentials = (sealer: Sealer, { username, password }: QueueCredentials): Buffer =>
  sealer.seal(JSON.stringify({ username, password }));

export const openQueueCredentials = (sealer: Sealer, sealed: Buffer | null): QueueCredentials | undefined =>
  sealed ? JSON.parse(sealer.open(sealed)) : undefined;
