import { DatabaseSync } from 'node:sqlite';

const sqliteBusy = 5;

/**
 * A lock between processes that the kernel releases when its holder dies, kill -9 included: no process id to
 * compare and nothing stale to clear away. Node has no flock; an empty SQLite file offers the same lock.
 */
export class ProcessLock {
  readonly #file: DatabaseSync;

  private constructor(file: DatabaseSync) {
    this.#file = file;
  }

  /** Undefined while anybody else holds it, in either way. */
  static exclusive(path: string): ProcessLock | undefined {
    return ProcessLock.#take(path, 'begin exclusive');
  }

  /** Undefined while somebody holds it alone. */
  static shared(path: string): ProcessLock | undefined {
    return ProcessLock.#take(path, 'begin; select 1 from sqlite_schema');
  }

  release(): void {
    this.#file.close();
  }

  static #take(path: string, statement: string): ProcessLock | undefined {
    const file = new DatabaseSync(path);
    try {
      // Nothing goes to the disk then: a full one must not keep anybody from a lock.
      file.exec(`pragma journal_mode = memory; ${statement}`);
      return new ProcessLock(file);
    } catch (error) {
      file.close();
      if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined;
      throw error;
    }
  }
}
