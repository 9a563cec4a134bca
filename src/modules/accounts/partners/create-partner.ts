import { newestVersion } from '../../../api/versions/timeline.ts';
import type { Sql } from '../../../database/connection.ts';
import { newPublicKey } from '../../../events/signing/keys.ts';
import type { Sealer } from '../../../events/signing/sealer.ts';
import type { Partner } from './partner.ts';
import { issueKey } from './partner-keys.ts';
import { insertPartner } from './partner-store.ts';

interface NewPartner {
  identifier: string;
  name: string;
  parentId?: number;
  /** Defaults to the newest version. */
  apiVersion?: string;
}

/** Creates a partner with its first private key. The key is not readable afterwards. */
export async function createPartner(
  sql: Sql,
  sealer: Sealer,
  { identifier, name, parentId, apiVersion = newestVersion }: NewPartner,
): Promise<{ partner: Partner; privateKey: string }> {
  const publicKey = newPublicKey();
  const partner = await insertPartner(sql, { identifier, name, apiVersion, parentId: parentId ?? null, publicKey });
  return { partner, privateKey: await issueKey(sql, sealer, partner.id) };
}
