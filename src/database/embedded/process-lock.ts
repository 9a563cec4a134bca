import { DatabaseSync } from 'node:sqlite';

const sqliteBusy = 5;

/**
 * A lock between processes that the kernel releases when the holder exits, even after kill -9. Node has no flock; an
 * empty SQLite file provides the same lock.
 */
export class ProcessLock {
  readonly #file: DatabaseSync;

  private constructor(file: DatabaseSync) {
    this.#file = file;
  }

  /** Undefined while another process holds a lock of either kind. */
  static exclusive(path: string): ProcessLock | undefined {
    return ProcessLock.#acquire(path, 'begin exclusive');
  }

  /** Undefined while another process holds an exclusive lock. */
  static shared(path: string): ProcessLock | undefined {
    return ProcessLock.#acquire(path, 'begin; select 1 from sqlite_schema');
  }

  release(): void {
    this.#file.close();
  }

  static #acquire(path: string, statement: string): ProcessLock | undefined {
    const file = new DatabaseSync(path);
    try {
      // No journal file: locking must work on a full disk.
      file.exec(`pragma journal_mode = memory; ${statement}`);
      return new ProcessLock(file);
    } catch (error) {
      file.close();
      if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined;
      throw error;
    }
  }
}
