import { createHash } from 'node:crypto';
import type { Sealer } from './sealer.ts';

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
  /** Connections are shared by requests with the same id only. */
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
