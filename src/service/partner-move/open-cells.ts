import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import type { Logger } from 'pino';
import { type Config, ConfigurationProblem } from '../../config.ts';
import type { Database } from '../../database/connection.ts';
import { appliedHashes } from '../../database/schema-state.ts';
import { connectForCopy } from '../../database/table-copy.ts';
import { listAllPartners } from '../../modules/accounts/index.ts';
import type { FileStore } from '../../storage/file-store.ts';
import { openFileStore } from '../../storage/open-file-store.ts';
import { readRegistry } from '../master-keys/key-registry.ts';
import { openPlatform } from '../open-platform.ts';
import { withoutTriggers } from './delete-partner.ts';

export interface OpenCell {
  cell: number;
  database: Database;
  /** For COPY and for locks that last longer than a transaction. */
  client: pg.Client;
  files: FileStore;
  close(): Promise<void>;
}

export async function openCell(config: Config, log: Logger): Promise<OpenCell> {
  const { database, close } = await openPlatform(config, log);
  try {
    const client = await connectForCopy(database.url, 'waypost partner move');
    // One side waits while the other one computes checksums.
    await client.query('set idle_in_transaction_session_timeout = 0');
    const files = openFileStore(config);
    const closeAll = async () => {
      await client.end();
      await files.close();
      await close();
    };
    return { cell: config.cell, database, client, files, close: closeAll };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Throws if rows cannot be moved between the cells. */
export async function requireCompatible(source: OpenCell, target: OpenCell): Promise<void> {
  const [here, there] = [await appliedHashes(source.client), await appliedHashes(target.client)];
  if (!isDeepStrictEqual(here, there)) {
    throw new ConfigurationProblem(
      `The databases of cell ${source.cell} and cell ${target.cell} have different migrations. Update both cells to the ` +
        'same version and run "waypost migrate".',
    );
  }
  await requireSameKeys(source, target);
  for (const { client, cell } of [source, target]) await requirePrivilege(client, cell);
}

async function requireSameKeys(source: OpenCell, target: OpenCell): Promise<void> {
  const [here, there] = [await readRegistry(source.client), await readRegistry(target.client)];
  // Values without the mark of their key are those of the first key of the installation.
  const areMarked = here.former.length === 0 && here.unmarked !== here.current;
  if (here.current === there.current && (here.unmarked === there.unmarked || areMarked)) return;
  throw new ConfigurationProblem(
    `The master keys of cell ${source.cell} (fingerprint ${here.current}) and cell ${target.cell} (${there.current}) are ` +
      'not the same, or a rotation is not finished. Set WAYPOST_MASTER_KEY to the same key on both cells.',
  );
}

async function requirePrivilege(client: pg.Client, cell: number): Promise<void> {
  try {
    await client.query(`begin; ${withoutTriggers}; rollback`);
  } catch (error) {
    await client.query('rollback');
    if ((error as { code?: string }).code !== '42501') throw error;
    throw new ConfigurationProblem(
      `The database role of cell ${cell} may not copy rows without triggers. Run this as a superuser of its PostgreSQL ` +
        `server: grant set on parameter session_replication_role to ${client.user};`,
    );
  }
}

export async function hasPartner({ client }: OpenCell, id: number): Promise<boolean> {
  return (await listAllPartners(client)).some((partner) => partner.id === id);
}

/** Throws unless the partner has no parent: child partners move with their root partner. */
export async function requireRoot({ client, cell }: OpenCell, id: number): Promise<void> {
  const partner = (await listAllPartners(client)).find((one) => one.id === id);
  if (!partner) {
    throw new ConfigurationProblem(
      `There is no partner ${id} on cell ${cell}. "waypost partners list" prints all partners.`,
    );
  }
  if (partner.parentId !== null) {
    throw new ConfigurationProblem(
      `Partner ${id} is a child of ${partner.parentId}. Move its root partner: child partners move with it.`,
    );
  }
}
