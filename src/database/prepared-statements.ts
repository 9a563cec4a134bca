import { LRUCache } from 'lru-cache';

/** Prepared statements per connection; other statements are parsed on every use. */
const maxNames = 500;
/** Statements that a connection has sent once. */
const maxCandidates = 500;

/**
 * The names of a connection's prepared statements. A statement is prepared on its second use: many combinations of list
 * filters are used only once.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #candidates = new LRUCache<string, true>({ max: maxCandidates });

  of(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= maxNames) return known;
    if (!this.#candidates.delete(text)) {
      this.#candidates.set(text, true);
      return undefined;
    }
    const name = `statement-${this.#names.size + 1}`;
    this.#names.set(text, name);
    return name;
  }
}
