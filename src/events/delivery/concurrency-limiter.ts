/** A webhook with its number of requests in flight. */
export interface ConcurrencyCount {
  inFlight: number;
}

export interface LimitedTask {
  webhook: ConcurrencyCount;
  share: HostShare;
  start(): void;
}

/** The requests of one partner to a host: those in flight, and waiting tasks in order of arrival. */
export class HostShare {
  readonly host: Host;
  readonly partnerId: number;
  inFlight = 0;
  readonly waiting: LimitedTask[] = [];

  constructor(host: Host, partnerId: number) {
    this.host = host;
    this.partnerId = partnerId;
  }
}

class Host {
  readonly origin: string;
  inFlight = 0;
  /** By partner. */
  readonly shares = new Map<number, HostShare>();
  /** Shares with waiting tasks. The first is the one that waited longest for its turn. */
  readonly waiting = new Set<HostShare>();

  constructor(origin: string) {
    this.origin = origin;
  }
}

// A partner may use seven times as much of a host as stays free, and the last request is for a partner without any:
// slow receivers of one partner cannot use all.
const partnerFactor = 7;

/**
 * Limits concurrent requests per webhook and per host. A waiting task does not block tasks of other hosts. Partners that
 * wait for the same host take turns.
 */
export class ConcurrencyLimiter {
  readonly #limits: { perWebhook: number; perHost: number };
  readonly #hosts = new Map<string, Host>();
  /** Hosts with waiting tasks and none in flight: the webhook moved here and its limit is used up at the old host. */
  readonly #stalled = new Set<Host>();
  /** Hosts of finished tasks that the loop of `finish` has not handled yet. */
  #freed: Host[] = [];

  constructor(limits: { perWebhook: number; perHost: number }) {
    this.#limits = limits;
  }

  share(origin: string, partnerId: number): HostShare {
    let host = this.#hosts.get(origin);
    if (!host) {
      host = new Host(origin);
      this.#hosts.set(origin, host);
    }
    let share = host.shares.get(partnerId);
    if (!share) {
      share = new HostShare(host, partnerId);
      host.shares.set(partnerId, share);
    }
    return share;
  }

  submit(task: LimitedTask): void {
    const { share } = task;
    // An earlier task of the batch may have ended at once, which removed an idle share and host.
    if (share.inFlight === 0) {
      this.#hosts.set(share.host.origin, share.host);
      share.host.shares.set(share.partnerId, share);
    }
    if (this.#hasCapacity(share) && this.#isAllowed(task)) this.#start(task);
    else this.#wait(task);
  }

  /** Frees the task's capacity and starts waiting tasks. */
  finish({ webhook, share }: LimitedTask): void {
    const { host } = share;
    webhook.inFlight--;
    share.inFlight--;
    host.inFlight--;
    if (share.inFlight === 0 && share.waiting.length === 0) host.shares.delete(share.partnerId);
    // Thousands of tasks can finish as soon as they start, which is too deep for a recursion.
    if (this.#freed.push(host) > 1) return;
    try {
      for (const freed of this.#freed) {
        this.#startNext(freed);
        for (const stalled of this.#stalled) this.#startNext(stalled);
      }
    } finally {
      this.#freed = [];
    }
  }

  /** Removes and returns all tasks that have not started. */
  cancelWaiting(): LimitedTask[] {
    return [...this.#hosts.values()].flatMap(({ waiting }) => {
      const tasks = [...waiting].flatMap((share) => share.waiting.splice(0));
      waiting.clear();
      return tasks;
    });
  }

  #wait(task: LimitedTask): void {
    const { share } = task;
    share.waiting.push(task);
    share.host.waiting.add(share);
    if (share.host.inFlight === 0) this.#stalled.add(share.host);
  }

  #startNext(host: Host): void {
    // Not just one: a finished task can free capacity of its host for one partner and of its webhook for another.
    for (let turns = host.waiting.size; turns > 0; turns--) {
      const next = this.#takeNext(host);
      if (!next) break;
      this.#start(next);
    }
    if (host.inFlight > 0) this.#stalled.delete(host);
    else if (host.waiting.size > 0) this.#stalled.add(host);
    else this.#hosts.delete(host.origin);
  }

  #takeNext(host: Host): LimitedTask | undefined {
    for (const share of host.waiting) {
      const index = this.#hasCapacity(share) ? share.waiting.findIndex((task) => this.#isAllowed(task)) : -1;
      if (index < 0) continue;
      const [task] = share.waiting.splice(index, 1);
      if (share.waiting.length === 0) host.waiting.delete(share);
      else if (host.waiting.size > 1) moveToEnd(host.waiting, share);
      return task;
    }
    return undefined;
  }

  /** Whether the host has capacity for this partner. */
  #hasCapacity({ host, inFlight }: HostShare): boolean {
    const free = this.#limits.perHost - host.inFlight;
    return inFlight < partnerFactor * free && (free > 1 || inFlight === 0);
  }

  #isAllowed({ webhook }: LimitedTask): boolean {
    return webhook.inFlight < this.#limits.perWebhook;
  }

  #start(task: LimitedTask): void {
    task.webhook.inFlight++;
    task.share.inFlight++;
    task.share.host.inFlight++;
    task.start();
  }
}

function moveToEnd<T>(set: Set<T>, member: T): void {
  set.delete(member);
  set.add(member);
}
