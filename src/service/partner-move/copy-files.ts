import type { Sql } from '../../database/connection.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { FileStore } from '../../storage/file-store.ts';
import { confirmFiles, discardFiles, registerFiles, releaseFiles } from '../../storage/pending-files.ts';
import { findMarker, selectFileNamesWhere } from '../shared-files.ts';
import { isOwnedBy } from './partner-tables.ts';

interface Side {
  sql: Sql;
  files: FileStore;
}

/** The stored files of partners. Both cells may use the same store: then nothing is copied and nothing removed. */
export class MovedFiles {
  readonly names: readonly string[];
  readonly #source: Side;
  readonly #target: Side;

  private constructor(names: readonly string[], source: Side, target: Side) {
    this.names = names;
    this.#source = source;
    this.#target = target;
  }

  static async find(partnerIds: readonly number[], source: Side, target: Side): Promise<MovedFiles> {
    const marker = await findMarker(source.sql);
    const isShared = marker !== undefined && (await target.files.exists(marker));
    if (isShared) return new MovedFiles([], source, target);
    const condition = isOwnedBy({ column: 'partner_id', owner: undefined }, partnerIds);
    const { rows } = await source.sql.query<{ name: string }>(`${selectFileNamesWhere(condition)} order by name`);
    return new MovedFiles(
      rows.map(({ name }) => name),
      source,
      target,
    );
  }

  /** Registers the files first: a move that is not completed leaves none behind. Returns the missing files. */
  async copy(): Promise<string[]> {
    const missing: string[] = [];
    await registerFiles(this.#target.sql, this.names);
    for (const name of this.names) {
      // Of an earlier process: a file is stored as a whole or not at all.
      if (await this.#target.files.exists(name)) continue;
      const file = await this.#source.files.read(name);
      if (!file) {
        missing.push(name);
        continue;
      }
      const { sizeBytes } = await this.#target.files.put(name, file.stream);
      if (sizeBytes !== file.sizeBytes) {
        await this.#target.files.remove(name);
        throw new Error(`The copy of the file ${name} has ${sizeBytes} bytes instead of ${file.sizeBytes}.`);
      }
    }
    return missing;
  }

  /** In the transaction that inserts the rows. */
  async confirm(transaction: Transaction): Promise<void> {
    if (this.names.length > 0) await confirmFiles(transaction, this.names);
  }

  /** After a move that was undone. */
  async discard(): Promise<void> {
    await discardFiles(this.#target.sql, this.#target.files, this.names);
  }

  /** In the transaction that deletes the rows. A job removes the files, unless the target uses the same store. */
  async release(names: readonly string[]): Promise<void> {
    const copied = new Set(this.names);
    await releaseFiles(
      this.#source.sql,
      names.filter((name) => copied.has(name)),
    );
  }
}
