import { LRUCache } from 'lru-cache';
import type { FinderFilter } from './finder-filters.ts';
import type { StoreFinder } from './store-finder.ts';

/**
 * To find out what there is to filter by, every location that a finder shows is read: 1.5 s for 100,000. That happens
 * once in a minute at most, and visitors wait for it only when what is known is older than ten.
 */
const freshMs = 60_000;
const usableMs = 600_000;
const mostKept = 1000;

interface Kept {
  filters: Promise<FinderFilter[]>;
  readAt: number;
  /** The state of the finder that they were read for. */
  of: number;
}

/** The filters of finders, as all visitors share them. */
export class FilterMemory {
  readonly #read: (finder: StoreFinder) => Promise<FinderFilter[]>;
  readonly #kept = new LRUCache<number, Kept>({ max: mostKept });

  constructor(read: (finder: StoreFinder) => Promise<FinderFilter[]>) {
    this.#read = read;
  }

  of(finder: StoreFinder, now = Date.now()): Promise<FinderFilter[]> {
    const kept = this.#kept.get(finder.id);
    const known = kept?.of === finder.lastUpdated.getTime() ? kept : undefined;
    if (known && now - known.readAt < freshMs) return known.filters;
    return this.#renew(finder, now, known && now - known.readAt < usableMs ? known : undefined).filters;
  }

  /** What was known serves until the new is there. */
  #renew(finder: StoreFinder, now: number, before: Kept | undefined): Kept {
    const reading = this.#read(finder);
    const entry = { filters: before?.filters ?? reading, readAt: now, of: finder.lastUpdated.getTime() };
    this.#kept.set(finder.id, entry);
    reading.then(
      () => {
        entry.filters = reading;
      },
      () => {
        if (this.#kept.get(finder.id) === entry) this.#kept.delete(finder.id);
      },
    );
    return entry;
  }
}
