import type pg from 'pg';
import { type Config, ConfigurationProblem, version } from '../../config.ts';
import { appliedHashes, readSchemaState } from '../../database/schema-state.ts';
import {
  connectForCopy,
  readPartitionDays,
  readSequences,
  readTable,
  tablesToCopy,
} from '../../database/table-copy.ts';
import type { FileStore } from '../../storage/file-store.ts';
import { StoreProblem } from '../../storage/open-file-store.ts';
import { keepFiles } from '../../storage/pending-files.ts';
import { readRegistry } from '../master-keys/key-registry.ts';
import { countSealedValues } from '../master-keys/sealed-columns.ts';
import { findMarker, requireSharedFiles, selectFileNames } from '../shared-files.ts';
import { ArchiveWriter, type Checksum, fileEntry, type Manifest, tableEntry } from './archive.ts';

interface BackupResult {
  manifest: Manifest;
  /** Files that a row names and the store does not have. */
  missingFiles: string[];
}

/** Writes database and files to an archive while Waypost is running. The database is read in one snapshot. */
export async function createBackup(config: Config, url: string, files: FileStore, path: string): Promise<BackupResult> {
  const client = await connectForCopy(url, 'waypost backup');
  try {
    const { pending } = await readSchemaState(client);
    if (pending.length > 0) {
      throw new ConfigurationProblem('The database has pending migrations. Run "waypost migrate" before the backup.');
    }
    await requireSharedFiles(config, client, files);
    const archive = await ArchiveWriter.create(path);
    try {
      // Until the files are copied: the snapshot may name files whose rows are deleted meanwhile.
      await keepFiles(client);
      const { fileNames, ...database } = await copyDatabase(client, archive);
      const { copied, missingFiles } = await copyFiles(files, fileNames, archive);
      // Fails if the session has ended: its files may have been removed since.
      await client.query('select');
      const manifest: Manifest = {
        format: 1,
        release: version,
        createdAt: new Date().toISOString(),
        ...database,
        files: copied,
      };
      await archive.finish(manifest);
      return { manifest, missingFiles };
    } catch (error) {
      await archive.abort();
      throw error;
    }
  } finally {
    await client.end();
  }
}

async function copyDatabase(client: pg.Client, archive: ArchiveWriter) {
  await client.query('begin isolation level repeatable read read only');
  const tables = await tablesToCopy(client);
  // A migration waits for the end of the snapshot.
  await client.query(`lock table ${tables.map(({ name }) => name).join(', ')} in access share mode`);
  const copies: { name: string; checksum: Checksum; content: { rowCount: number } }[] = [];
  for (const table of tables) {
    const content = readTable(client, table);
    copies.push({ name: table.name, checksum: await archive.add(tableEntry(table.name), content), content });
  }
  const { current = null, unmarked = '' } = await readRegistry(client);
  const used = [...(await countSealedValues(client, unmarked)).keys()];
  const formerMasterKeys = used.filter((fingerprint) => fingerprint !== current);
  const database = {
    migrations: await appliedHashes(client),
    masterKey: current,
    ...(formerMasterKeys.length > 0 && { formerMasterKeys }),
    partitionDays: await readPartitionDays(client),
    sequences: await readSequences(client),
    fileNames: await namesOfFiles(client),
  };
  await client.query('commit');
  const tableOf = ({ name, checksum, content }: (typeof copies)[number]) =>
    [name, { ...checksum, rows: content.rowCount }] as const;
  return { ...database, tables: Object.fromEntries(copies.map(tableOf)) };
}

async function namesOfFiles(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select name from (${selectFileNames}) as stored order by name`,
  );
  const marker = await findMarker(client);
  return [...rows.map(({ name }) => name), ...(marker === undefined ? [] : [marker])];
}

async function copyFiles(files: FileStore, names: readonly string[], archive: ArchiveWriter) {
  const copied: Manifest['files'] = {};
  const missingFiles: string[] = [];
  for (const name of names) {
    const file = await files.read(name).catch((error) => {
      throw new StoreProblem(error);
    });
    if (file) copied[name] = await archive.add(fileEntry(name), file.stream, { compress: false });
    else missingFiles.push(name);
  }
  return { copied, missingFiles };
}
