import { LRUCache } from 'lru-cache';

/** Prepared statements that a connection holds at most; texts beyond these are parsed each time. */
const mostNames = 500;
/** Texts that were seen once. */
const mostCandidates = 5000;

/**
 * Names for statements that are used again, so that the server parses them once per connection. A text gets its name
 * with its second use: lists with many filters have texts that never come again.
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

export const statementNames = new StatementNames();
