import { rm, writeFile } from 'node:fs/promises';
import { type Config, readConfig } from '../config.ts';
import { migrate } from '../database/migrate.ts';
import { requireMigrated } from '../database/schema-state.ts';
import { ArchiveReader, type Manifest } from '../service/backup/archive.ts';
import { checkArchive, restoreBackup } from '../service/backup/restore-backup.ts';
import { findMasterKeys, textOfKeys } from '../service/master-keys/key-source.ts';
import { onDatabase } from '../service/open-database.ts';
import { openFileStore } from '../storage/open-file-store.ts';
import { CommandError, defineCommand, flag, required, value } from './command.ts';
import { log } from './command-log.ts';

const backupHelp = `Usage: waypost backup FILE [--key-file KEYFILE]

Writes the database and the stored files to a new archive (ZIP), while Waypost is running or stopped. The database is
DATABASE_URL or the embedded one, and all its rows are from the same moment. Every table and file has a checksum.

The master keys are not in the archive: an archive with its keys would reveal all keys and secrets of partners. Store
them separately. Without them, no partner key and no webhook secret of the backup can be used.

  --key-file KEYFILE    also write the master keys to this new file, readable by this user only

Examples:
  waypost backup /backups/waypost-monday.zip
  waypost backup /backups/waypost-monday.zip --key-file /vault/waypost-master.key
`;

const fileMissing = 'The name of the file is missing.';

export const backupCommand = defineCommand(
  { name: 'backup', help: backupHelp, options: { 'key-file': value }, operands: 1 },
  async (given, [path]) => backUp(required(path, fileMissing), readConfig(process.env), given['key-file']),
);

async function backUp(path: string, config: Config, keyFile: string | undefined): Promise<void> {
  // It loads all modules, which a restore does not need.
  const { createBackup } = await import('../service/backup/create-backup.ts');
  const files = openFileStore(config);
  try {
    if (keyFile !== undefined) await writeKey(config, keyFile);
    const { manifest, missingFiles } = await onDatabase(config, log, ({ database }) =>
      createBackup(config, database.url, files, path),
    ).catch(async (error) => {
      // Without it, the same command would refuse the existing file.
      if (keyFile !== undefined) await rm(keyFile, { force: true }).catch(() => {});
      throw error;
    });
    const { masterKey, formerMasterKeys = [] } = manifest;
    process.stdout.write(`${path}: ${contentsOf(manifest)}.\n`);
    for (const name of missingFiles) process.stderr.write(`The file ${name} is missing in the store.\n`);
    if (masterKey !== null && keyFile === undefined) {
      const fingerprints = [masterKey, ...formerMasterKeys].join(', ');
      process.stderr.write(`The master key (fingerprint ${fingerprints}) is not in the backup. Store it separately.\n`);
    }
  } finally {
    await files.close();
  }
}

async function writeKey(config: Config, path: string): Promise<void> {
  const keys = await findMasterKeys(config);
  if (!keys) throw new CommandError('There is no master key yet. Start Waypost, or set WAYPOST_MASTER_KEY.');
  await writeFile(path, textOfKeys(keys), { flag: 'wx', mode: 0o600, flush: true }).catch((error) => {
    throw new CommandError(`The master key cannot be written to ${path} (${error.code}). Choose a new file.`);
  });
}

const restoreHelp = `Usage: waypost restore FILE [--check]

Restores an archive of "waypost backup" into an empty database and its files into the file store. The database is
DATABASE_URL, created by "waypost migrate" of the version that wrote the backup, or the embedded one in a new data
folder. The master keys of the backup must be set (WAYPOST_MASTER_KEY, WAYPOST_MASTER_KEY_FILE,
WAYPOST_MASTER_KEY_COMMAND, or master.key in the data folder). After a failure, the database is still empty.

  --check       compare all checksums of the archive; restore nothing

Examples:
  waypost restore /backups/waypost-monday.zip --check
  WAYPOST_DATA_DIR=/srv/new WAYPOST_MASTER_KEY_FILE=/vault/waypost-master.key waypost restore /backups/monday.zip
`;

export const restoreCommand = defineCommand(
  { name: 'restore', help: restoreHelp, options: { check: flag }, operands: 1 },
  async ({ check }, [path]) => {
    const file = required(path, fileMissing);
    const config = readConfig(process.env);
    const archive = await ArchiveReader.open(file);
    try {
      if (check) await checkArchive(archive);
      else await restore(config, archive);
    } finally {
      archive.close();
    }
    const { createdAt, release } = archive.manifest;
    const result = check ? 'The backup is complete' : 'Restored';
    process.stdout.write(`${result}: ${contentsOf(archive.manifest)}, of ${createdAt}, version ${release}.\n`);
    if (!check) process.stderr.write('Start Waypost now. New ids continue after a gap.\n');
  },
);

async function restore(config: Config, archive: ArchiveReader): Promise<void> {
  const files = openFileStore(config);
  try {
    await onDatabase(config, log, async ({ database, isEmbedded }) => {
      if (isEmbedded) await migrate(database);
      await requireMigrated(database.pool, log);
      await restoreBackup(database.url, files, archive, config);
    });
  } finally {
    await files.close();
  }
}

function contentsOf({ tables, files }: Manifest): string {
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
  return `${Object.keys(tables).length} tables with ${rows} rows, ${Object.keys(files).length} files`;
}
