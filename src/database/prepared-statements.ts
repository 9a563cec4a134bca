import { LRUCache } from 'lru-cache';

/** Prepared statements per connection; further texts are parsed each time. */
const mostNames = 500;
/** Texts that a connection has sent once. */
const mostCandidates = 500;

/**
 * The names of one connection's prepared statements. A text is prepared with its second use: lists with many filters
 * have texts that never come again.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #candidates = new LRUCache<string, true>({ max: mostCandidates });

  of(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= mostNames) return known;
    if (!this.#candidates.delete(text)) {
      this.#candidates.set(text, true);
      return undefined;
    }
    const name = `statement-${this.#names.size + 1}`;
    this.#names.set(text, name);
    return name;
  }
}
