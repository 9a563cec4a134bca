import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type Config, readConfig } from '../../src/config.ts';
import type { Database } from '../../src/database/connection.ts';

/** The data folder of a test database, removed at the end of the run. */
function dataFolderOf({ url }: Pick<Database, 'url'>): string {
  const folder = join(inject('runFolder'), new URL(url).pathname.slice(1));
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The default configuration with the data folder of the database. */
export function configFor(database: Pick<Database, 'url'>, env: NodeJS.ProcessEnv = {}): Config {
  return readConfig({ WAYPOST_DATA_DIR: dataFolderOf(database), ...env });
}
