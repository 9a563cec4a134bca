/** The origin of a call to a directory. `requested`: a user waits for the result. */
export interface Caller {
  partnerId: number;
  requested: boolean;
}

/** Of four calls, one is scheduled while both kinds are waiting. */
const requestedInARow = 3;

/**
 * Waiting calls. Requested calls go before scheduled ones, which keep a quarter of the grants. Among calls of the same
 * kind, each partner gets the same number of grants.
 */
export class FairQueue<Item> {
  readonly #requested = new Lane<Item>();
  readonly #scheduled = new Lane<Item>();
  #requestedSinceScheduled = 0;

  get size(): number {
    return this.#requested.size + this.#scheduled.size;
  }

  add({ partnerId, requested }: Caller, item: Item): void {
    (requested ? this.#requested : this.#scheduled).add(partnerId, item);
  }

  /** Removes the call that is granted next. */
  next(): Item | undefined {
    const isScheduledTurn = this.#requested.size === 0 || this.#requestedSinceScheduled >= requestedInARow;
    if (this.#scheduled.size > 0 && isScheduledTurn) {
      this.#requestedSinceScheduled = 0;
      return this.#scheduled.next();
    }
    this.#requestedSinceScheduled += 1;
    return this.#requested.next();
  }

  /** Removes a call that has to wait for most others if more than `capacity` calls are waiting. */
  dropOverflow(capacity: number): Item | undefined {
    if (this.size <= capacity) return undefined;
    const keptScheduled = Math.max(1, Math.floor(capacity / (requestedInARow + 1)));
    const lane = this.#scheduled.size > keptScheduled ? this.#scheduled : this.#requested;
    // Each kind keeps a waiting call, so that neither is rejected forever.
    return lane.size > 1 ? lane.dropLast() : undefined;
  }

  /** Removes all calls, in order. */
  dropAll(): Item[] {
    return [...this.#requested.dropAll(), ...this.#scheduled.dropAll()];
  }
}

interface Entry<Item> {
  partnerId: number;
  turn: number;
  item: Item;
}

/**
 * Start-time fair queueing: every call takes its partner's next turn, and turns are granted in order. A partner without
 * waiting calls starts at the current turn, before the waiting calls of partners that were served more.
 */
class Lane<Item> {
  /** By turn. */
  readonly #waiting: Entry<Item>[] = [];
  readonly #nextTurn = new Map<number, number>();
  #turn = 0;

  get size(): number {
    return this.#waiting.length;
  }

  add(partnerId: number, item: Item): void {
    const turn = Math.max(this.#turn, this.#nextTurn.get(partnerId) ?? 0);
    this.#nextTurn.set(partnerId, turn + 1);
    const before = this.#waiting.findLastIndex((entry) => entry.turn <= turn);
    this.#waiting.splice(before + 1, 0, { partnerId, turn, item });
  }

  next(): Item | undefined {
    const entry = this.#waiting.shift();
    if (entry) this.#turn = entry.turn;
    return entry?.item;
  }

  dropLast(): Item | undefined {
    const entry = this.#waiting.pop();
    // The turn was not used.
    if (entry) this.#nextTurn.set(entry.partnerId, entry.turn);
    return entry?.item;
  }

  dropAll(): Item[] {
    const dropped: Item[] = [];
    while (this.size > 0) dropped.unshift(this.dropLast() as Item);
    return dropped;
  }
}
