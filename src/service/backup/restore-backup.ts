import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import { ConfigurationProblem } from '../../config.ts';
import { appliedHashes } from '../../database/schema-state.ts';
import {
  type CopiedTable,
  connectForCopy,
  createPartitions,
  tablesToCopy,
  writeSequences,
  writeTable,
} from '../../database/table-copy.ts';
import { MasterKey } from '../../events/signing/sealer.ts';
import type { FileStore } from '../../storage/file-store.ts';
import { StoreProblem } from '../../storage/open-file-store.ts';
import { findMasterKeys, type KeySettings } from '../master-keys/key-source.ts';
import { type ArchiveReader, type Checksum, checksumOf, fileEntry, type Manifest, tableEntry } from './archive.ts';

/**
 * Restores an archive into a migrated database without rows. The rows are one transaction: after a failure the database is
 * still empty, and the restore can be repeated.
 */
export async function restoreBackup(
  url: string,
  files: FileStore,
  archive: ArchiveReader,
  config: KeySettings,
): Promise<void> {
  const { manifest } = archive;
  await requireMasterKeys(manifest, config);
  const client = await connectForCopy(url, 'waypost restore');
  try {
    await requireSameSchema(client, manifest);
    const tables = await tablesToCopy(client);
    await requireEmpty(client, tables);
    // Before the rows that name them.
    for (const [name, checksum] of Object.entries(manifest.files)) {
      await restoreFile(files, archive, name, checksum).catch((error) => {
        throw error instanceof ConfigurationProblem ? error : new StoreProblem(error);
      });
    }
    await restoreDatabase(client, tables, archive);
    // The planner has no statistics of the new rows.
    await client.query('analyze');
  } finally {
    await client.end();
  }
}

/** The store may be that of the original: intact files are kept, and a failure removes only a new file. */
async function restoreFile(files: FileStore, archive: ArchiveReader, name: string, checksum: Checksum): Promise<void> {
  const existing = await files.read(name);
  if (existing && isDeepStrictEqual(await checksumOf(existing.stream), checksum)) return;
  await archive
    .read(fileEntry(name), checksum, (content) => files.put(name, content))
    .catch(async (error) => {
      if (!existing) await files.remove(name).catch(() => {});
      throw error;
    });
}

async function restoreDatabase(
  client: pg.Client,
  tables: readonly CopiedTable[],
  archive: ArchiveReader,
): Promise<void> {
  const { manifest } = archive;
  await client.query('begin');
  // Triggers have done their work in the original. This also blocks other writers, unlike session_replication_role, which
  // only a superuser may set. Foreign keys are checked.
  for (const { name } of tables) await client.query(`alter table ${name} disable trigger user`);
  await requireEmpty(client, tables);
  await createPartitions(client, manifest.partitionDays);
  for (const table of tables) {
    const expected = manifest.tables[table.name];
    if (!expected) throw new ConfigurationProblem(`The backup is damaged: the table ${table.name} is missing.`);
    const rows = await archive.read(tableEntry(table.name), expected, async (content) => {
      const target = writeTable(client, table);
      await pipeline(content, target);
      return target.rowCount;
    });
    if (rows !== expected.rows) {
      throw new ConfigurationProblem(
        `The backup is damaged: ${table.name} has ${rows} rows instead of ${expected.rows}.`,
      );
    }
  }
  await writeSequences(client, manifest.sequences);
  for (const { name } of tables) await client.query(`alter table ${name} enable trigger user`);
  await client.query('commit');
}

/** Reads the whole archive and compares all checksums. */
export async function checkArchive(archive: ArchiveReader): Promise<void> {
  const { tables, files } = archive.manifest;
  const entries = [
    ...Object.entries(tables).map(([name, checksum]) => [tableEntry(name), checksum] as const),
    ...Object.entries(files).map(([name, checksum]) => [fileEntry(name), checksum] as const),
  ];
  for (const [name, checksum] of entries) {
    await archive.read(name, checksum, async (content) => {
      for await (const _chunk of content);
    });
  }
}

async function requireMasterKeys({ masterKey, formerMasterKeys = [] }: Manifest, config: KeySettings): Promise<void> {
  if (masterKey === null) return;
  const keys = (await findMasterKeys(config)) ?? [];
  const known = keys.map((key) => new MasterKey(key).fingerprint);
  const missing = [masterKey, ...formerMasterKeys].find((fingerprint) => !known.includes(fingerprint));
  if (missing === undefined) return;
  throw new ConfigurationProblem(
    `The keys in this backup are encrypted with ${keys.length > 0 ? 'another' : 'a'} master key (fingerprint ${missing}). ` +
      'Set WAYPOST_MASTER_KEY or WAYPOST_MASTER_KEY_FILE to that key, or put its file master.key in the data folder.',
  );
}

async function requireSameSchema(client: pg.Client, { migrations, release }: Manifest): Promise<void> {
  const applied = await appliedHashes(client);
  const names = Object.keys({ ...migrations, ...applied });
  const different = names.filter((name) => migrations[name] !== applied[name]);
  if (different.length === 0) return;
  throw new ConfigurationProblem(
    `The backup was created by version ${release} with another schema (${different.join(', ')}). ` +
      `Restore it with version ${release} into a database that "waypost migrate" of that version has created, then update.`,
  );
}

async function requireEmpty(client: pg.Client, tables: readonly CopiedTable[]): Promise<void> {
  const filled: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query(`select exists (select from ${name}) as filled`);
    if (rows[0]?.filled) filled.push(name);
  }
  if (filled.length === 0) return;
  throw new ConfigurationProblem(
    `The database is not empty: ${filled.slice(0, 5).join(', ')}${filled.length > 5 ? ', …' : ''}. Restore into a new ` +
      'database, or into a new data folder (WAYPOST_DATA_DIR).',
  );
}
