import { LRUCache } from 'lru-cache';
import type { FinderFilter } from './finder-filters.ts';
import type { StoreFinder } from './store-finder.ts';

/**
 * Computing filters reads every location of a finder: 1.5 s for 100,000. It happens at most once a minute; visitors
 * wait only if the cached filters are older than ten minutes.
 */
const freshMs = 60_000;
const usableMs = 600_000;
const maxEntries = 1000;

interface CacheEntry {
  filters: Promise<FinderFilter[]>;
  readAt: number;
  /** lastUpdated of the finder that the filters belong to. */
  of: number;
}

export class FilterCache {
  readonly #read: (finder: StoreFinder) => Promise<FinderFilter[]>;
  readonly #entries = new LRUCache<number, CacheEntry>({ max: maxEntries });

  constructor(read: (finder: StoreFinder) => Promise<FinderFilter[]>) {
    this.#read = read;
  }

  of(finder: StoreFinder, now = Date.now()): Promise<FinderFilter[]> {
    const entry = this.#entries.get(finder.id);
    const current = entry?.of === finder.lastUpdated.getTime() ? entry : undefined;
    if (current && now - current.readAt < freshMs) return current.filters;
    return this.#refresh(finder, now, current && now - current.readAt < usableMs ? current : undefined).filters;
  }

  /** Serves the previous filters until the new ones are available. */
  #refresh(finder: StoreFinder, now: number, before: CacheEntry | undefined): CacheEntry {
    const reading = this.#read(finder);
    const entry = { filters: before?.filters ?? reading, readAt: now, of: finder.lastUpdated.getTime() };
    this.#entries.set(finder.id, entry);
    reading.then(
      () => {
        entry.filters = reading;
      },
      () => {
        if (this.#entries.get(finder.id) === entry) this.#entries.delete(finder.id);
      },
    );
    return entry;
  }
}
