/** A webhook or a host with its number of requests in flight. */
export interface ConcurrencyCount {
  inFlight: number;
}

export interface LimitedTask {
  webhook: ConcurrencyCount;
  host: Host;
  start(): void;
}

/** One host: its requests in flight and its waiting tasks in order of arrival. */
export class Host implements ConcurrencyCount {
  readonly origin: string;
  inFlight = 0;
  readonly waiting: LimitedTask[] = [];

  constructor(origin: string) {
    this.origin = origin;
  }
}

/** Limits concurrent requests per webhook and per host. A waiting task does not block tasks of other hosts. */
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

  host(origin: string): Host {
    const known = this.#hosts.get(origin);
    if (known) return known;
    const host = new Host(origin);
    this.#hosts.set(origin, host);
    return host;
  }

  submit(task: LimitedTask): void {
    if (this.#hasCapacity(task)) this.#start(task);
    else this.#wait(task);
  }

  /** Frees the task's capacity and starts the next waiting task. */
  finish({ webhook, host }: LimitedTask): void {
    webhook.inFlight--;
    host.inFlight--;
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
    return [...this.#hosts.values()].flatMap((host) => host.waiting.splice(0));
  }

  #wait(task: LimitedTask): void {
    task.host.waiting.push(task);
    if (task.host.inFlight === 0) this.#stalled.add(task.host);
  }

  #startNext(host: Host): void {
    const next = host.waiting.findIndex((task) => this.#hasCapacity(task));
    for (const task of next < 0 ? [] : host.waiting.splice(next, 1)) this.#start(task);
    if (host.inFlight > 0) this.#stalled.delete(host);
    else if (host.waiting.length > 0) this.#stalled.add(host);
    else this.#hosts.delete(host.origin);
  }

  #hasCapacity({ webhook, host }: LimitedTask): boolean {
    return host.inFlight < this.#limits.perHost && webhook.inFlight < this.#limits.perWebhook;
  }

  #start(task: LimitedTask): void {
    task.webhook.inFlight++;
    task.host.inFlight++;
    task.start();
  }
}
