import { createHash, randomBytes } from 'node:crypto';
import type { Network } from './network.ts';

const hashOf = (key: string) => createHash('sha256').update(key).digest('hex');

/** Id of the installation with a key. */
export function findInstallation({ sql }: Network, key: string): number | undefined {
  return sql.one<{ id: number }>`select id from installations where key_hash = ${hashOf(key)}`?.id;
}

export function ensureInstallation({ sql }: Network, name: string, key: string): void {
  sql.run`insert into installations (name, key_hash) values (${name}, ${hashOf(key)}) on conflict do nothing`;
}

export function addInstallation(network: Network, name: string): string {
  const key = randomBytes(24).toString('base64url');
  ensureInstallation(network, name, key);
  return key;
}
