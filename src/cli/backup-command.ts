import { writeFile } from 'node:fs/promises';
import { pino } from 'pino';
import { type Config, readConfig } from '../config.ts';
import { createBackup } from '../service/backup/create-backup.ts';
import { findMasterKeys, textOfKeys } from '../service/master-keys/key-source.ts';
import { onDatabase } from '../service/open-database.ts';
import { openFileStore } from '../storage/open-file-store.ts';
import { CommandError, runCommand, UsageError, value } from './command.ts';

const help = `Usage: waypost backup FILE [--key-file KEYFILE]

Writes the database and the stored files to a new archive (ZIP), while Waypost is running or stopped. The database is
DATABASE_URL or the embedded one, and all its rows are from the same moment. Every table and file has a checksum.

The master keys are not in the archive: an archive with its keys would reveal all keys and secrets of partners. Store
them separately. Without them, no partner key and no webhook secret of the backup can be used.

  --key-file KEYFILE    also write the master keys to this new file, readable by this user only

Examples:
  waypost backup /backups/waypost-monday.zip
  waypost backup /backups/waypost-monday.zip --key-file /vault/waypost-master.key
`;

const options = { 'key-file': value } as const;

export async function backupCommand(args: string[]): Promise<number> {
  return runCommand({ name: 'backup', help, options, operands: 1 }, args, async (given, [path]) => {
    if (path === undefined) throw new UsageError('The name of the file is missing.');
    await backUp(readConfig(process.env), path, given['key-file']);
  });
}

async function backUp(config: Config, path: string, keyFile: string | undefined): Promise<void> {
  const files = openFileStore(config);
  const log = pino({ level: 'warn' }, pino.destination(2));
  try {
    if (keyFile !== undefined) await writeKey(config, keyFile);
    const { manifest, missingFiles } = await onDatabase(config, log, ({ database }) =>
      createBackup(database.url, files, path),
    );
    const rows = Object.values(manifest.tables).reduce((sum, table) => sum + table.rows, 0);
    const { tables, files: copied, masterKey, formerMasterKeys = [] } = manifest;
    process.stdout.write(
      `${path}: ${Object.keys(tables).length} tables with ${rows} rows, ${Object.keys(copied).length} files.\n`,
    );
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
