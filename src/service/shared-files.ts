import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Logger } from 'pino';
import { type Config, ConfigurationProblem } from '../config.ts';
import type { Database, Sql } from '../database/connection.ts';
import { modules } from '../modules/modules.ts';
import { type FileStore, newFileName } from '../storage/file-store.ts';
import { StoreProblem } from '../storage/open-file-store.ts';
import { confirmFiles, registerFiles, releaseFiles } from '../storage/pending-files.ts';
import { withTimeout } from '../values/with-timeout.ts';
import { addValue, findValue } from './installation.ts';

/** Where files are stored, for messages. */
export const fileStoreName = ({ s3BucketUrl, dataDir }: Pick<Config, 's3BucketUrl' | 'dataDir'>): string =>
  s3BucketUrl === undefined ? `the data folder ${dataDir}` : `the bucket ${s3BucketUrl}`;

/** Selects the names of stored files, of all partners or those with the condition. */
export const selectFileNamesWhere = (condition: string): string =>
  modules
    .flatMap(({ storedFiles = {} }) => Object.entries(storedFiles))
    .flatMap(([table, columns]) =>
      columns.map((column) => `select ${column} as name from ${table} where ${column} is not null and ${condition}`),
    )
    .join(' union all ');

/** Selects the names of all stored files. */
export const selectFileNames: string = selectFileNamesWhere('true');

/** The columns of a table with names of stored files. */
export const fileColumnsOf = (table: string): readonly string[] =>
  modules.flatMap(({ storedFiles = {} }) => storedFiles[table] ?? []);

const markerName = 'files-marker';

/** The name of the file that the first process of the installation has stored. */
export const findMarker = (sql: Sql): Promise<string | undefined> => findValue(sql, markerName);

/** Whether this process can read the file of the first one. `unmarked`: no process has stored it yet. */
export async function compareFiles(sql: Sql, files: FileStore): Promise<'shared' | 'unmarked' | 'missing'> {
  const marker = await findMarker(sql);
  if (marker === undefined) return 'unmarked';
  const found = await files.read(marker).catch((error) => {
    throw new StoreProblem(error);
  });
  return found && (await text(found.stream)) === marker ? 'shared' : 'missing';
}

const missingMarker = (config: Config): string =>
  notInStore(config, 'the file that its first process stored there is missing');

const notInStore = (config: Config, reason: string): string =>
  `The files of this installation are not in ${fileStoreName(config)}: ${reason}. Set WAYPOST_S3_BUCKET_URL, or ` +
  'WAYPOST_DATA_DIR to a shared folder, to the same store as on the other nodes.';

const adoption =
  'If there is no such store any more, start one process with WAYPOST_FILES_CHECK=adopt: this store is then used without ' +
  'the earlier files.';

/**
 * Throws a ConfigurationProblem if the stored files of the installation are in another store: they would not be found here,
 * and files of this process not there. Without stored files, or if the store does not respond, the process only warns.
 */
export async function checkSharedFiles(
  config: Config,
  database: Database,
  files: FileStore,
  log: Logger,
): Promise<void> {
  let found: Awaited<ReturnType<typeof compareFiles>>;
  try {
    found = await withinTime(compareAndMark(config, database, files));
  } catch (error) {
    log.warn(
      { event: 'files.not-checked', err: error },
      `The files in ${fileStoreName(config)} could not be checked: uploads and exports may fail`,
    );
    return;
  }
  if (found !== 'missing') return;
  if (await namesFiles(database.pool)) throw new ConfigurationProblem(`${missingMarker(config)} ${adoption}`);
  log.warn({ event: 'files.not-shared' }, missingMarker(config));
}

/** Why the stored files of the installation seem to be in another store. Without a marker, one stored file is enough. */
export async function findStoreMismatch(config: Config, sql: Sql, files: FileStore): Promise<string | undefined> {
  const found = await compareFiles(sql, files);
  if (found === 'missing') return missingMarker(config);
  if (found === 'shared' || !(await areFiles('missing', sql, files))) return undefined;
  return `${notInStore(config, 'none of them was found')} If they are lost, start a process with this store first.`;
}

/** Throws a ConfigurationProblem if the stored files of the installation are in another store. */
export async function requireSharedFiles(config: Config, sql: Sql, files: FileStore): Promise<void> {
  const mismatch = await findStoreMismatch(config, sql, files);
  if (mismatch === undefined || (await areFiles('stored', sql, files))) return;
  if (await namesFiles(sql)) throw new ConfigurationProblem(mismatch);
}

async function namesFiles(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query<{ used: boolean }>(`select exists (${selectFileNames}) as used`);
  return rows[0]?.used === true;
}

async function compareAndMark({ filesCheck }: Config, database: Database, files: FileStore) {
  const found = await compareFiles(database.pool, files);
  if (found === 'unmarked') return storeMarker(database, files);
  if (found !== 'missing') return found;
  return filesCheck === 'adopt' || (await areFiles('stored', database.pool, files))
    ? adoptStore(database, files)
    : found;
}

const checkedFiles = 20;

/**
 * Whether all of the checked files are stored, or all are missing. A folder that was created again before the first upload
 * has no marker, but all stored files.
 */
async function areFiles(state: 'stored' | 'missing', sql: Sql, files: FileStore): Promise<boolean> {
  const { rows } = await sql.query<{ name: string }>(
    `select name from (${selectFileNames}) as stored order by md5(name) limit ${checkedFiles}`,
  );
  for (const { name } of rows) {
    const isStored = await files.exists(name).catch((error) => {
      throw new StoreProblem(error);
    });
    if (isStored !== (state === 'stored')) return false;
  }
  return rows.length > 0;
}

/** A start does not wait for the retries of a store. */
const checkMs = 10_000;

const withinTime = <T>(work: Promise<T>): Promise<T> =>
  withTimeout(checkMs, work, () => {
    throw new Error(`No response within ${checkMs / 1000} s.`);
  });

const put = (files: FileStore, name: string) => files.put(name, Readable.from([Buffer.from(name)]));

/** Before files of other cells: a later start with another store is refused. */
export async function markFiles(database: Database, files: FileStore): Promise<void> {
  if ((await findMarker(database.pool)) === undefined) await storeMarker(database, files);
}

/** With concurrent starts, the first marker is used. */
async function storeMarker(database: Database, files: FileStore) {
  const name = newFileName('marker');
  await registerFiles(database.pool, [name]);
  await put(files, name);
  await database.transaction(async (transaction) => {
    if (await addValue(transaction, markerName, name)) await confirmFiles(transaction, [name]);
    else await releaseFiles(transaction, [name]);
  });
  return compareFiles(database.pool, files);
}

async function adoptStore(database: Database, files: FileStore) {
  const marker = await findMarker(database.pool);
  if (marker !== undefined) await put(files, marker);
  return compareFiles(database.pool, files);
}
