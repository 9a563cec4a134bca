import { randomBytes } from 'node:crypto';
import { cellOf } from '../database/cell.ts';
import type { Sql } from '../database/connection.ts';

/** Every credential that a request can be routed by. */
const kinds = {
  privateKey: { bytes: 32 },
  publicKey: { prefix: 'pk_', bytes: 18 },
  /** Also the value of the session cookie. */
  accessToken: { bytes: 32 },
  storeKey: { prefix: 'sf_', bytes: 18 },
  assetToken: { bytes: 24 },
  reportToken: { bytes: 24 },
} satisfies Record<string, { prefix?: string; bytes: number }>;

/**
 * Creates a credential. Outside cell 0 it starts with its cell, such as "c3~", by which a load balancer routes. The
 * character ~ is in no credential without a cell, and is not encoded in URLs, headers and cookies.
 */
export async function newCredential(sql: Sql, kind: keyof typeof kinds): Promise<string> {
  return credentialOfCell(await cellOf(sql), kind);
}

function credentialOfCell(cell: number, kind: keyof typeof kinds): string {
  const { prefix = '', bytes }: { prefix?: string; bytes: number } = kinds[kind];
  const credential = `${cell === 0 ? '' : `c${cell}~`}${prefix}${randomBytes(bytes).toString('base64url')}`;
  // On a command line, a hyphen would start an option.
  return credential.startsWith('-') ? credentialOfCell(cell, kind) : credential;
}
