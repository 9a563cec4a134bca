import { pino } from 'pino';
import { type Config, readConfig } from '../config.ts';
import { migrate } from '../database/migrate.ts';
import { requireMigrated } from '../database/schema-state.ts';
import { ArchiveReader } from '../service/backup/archive.ts';
import { checkArchive, restoreBackup } from '../service/backup/restore-backup.ts';
import { onDatabase } from '../service/open-database.ts';
import { openFileStore } from '../storage/open-file-store.ts';
import { flag, runCommand, UsageError } from './command.ts';

const help = `Usage: waypost restore FILE [--check]

Restores an archive of "waypost backup" into an empty database and its files into the file store. The database is
DATABASE_URL, created by "waypost migrate" of the version that wrote the backup, or the embedded one in a new data
folder. The master keys of the backup must be set (WAYPOST_MASTER_KEY, WAYPOST_MASTER_KEY_FILE,
WAYPOST_MASTER_KEY_COMMAND, or master.key in the data folder). After a failure, the database is still empty.

  --check       compare all checksums of the archive; restore nothing

Examples:
  waypost restore /backups/waypost-monday.zip --check
  WAYPOST_DATA_DIR=/srv/new WAYPOST_MASTER_KEY_FILE=/vault/waypost-master.key waypost restore /backups/monday.zip
`;

export async function restoreCommand(args: string[]): Promise<number> {
  return runCommand(
    { name: 'restore', help, options: { check: flag }, operands: 1 },
    args,
    async ({ check }, [path]) => {
      if (path === undefined) throw new UsageError('The name of the file is missing.');
      const config = readConfig(process.env);
      const archive = await ArchiveReader.open(path);
      try {
        if (check) await checkArchive(archive);
        else await restore(config, archive);
      } finally {
        archive.close();
      }
      const { tables, files, createdAt, release } = archive.manifest;
      const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
      process.stdout.write(
        `${check ? 'The backup is complete' : 'Restored'}: ${Object.keys(tables).length} tables with ${rows} rows, ` +
          `${Object.keys(files).length} files, of ${createdAt}, version ${release}.\n`,
      );
      if (!check) process.stderr.write('Start Waypost now. New ids continue after a gap.\n');
    },
  );
}

async function restore(config: Config, archive: ArchiveReader): Promise<void> {
  const files = openFileStore(config);
  const log = pino({ level: 'warn' }, pino.destination(2));
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
